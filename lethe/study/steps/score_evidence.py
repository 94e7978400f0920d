"""How much of the evidence each system, and each mode of Lethe's recall, finds on LoCoMo."""

from collections.abc import Iterable, Mapping
from itertools import chain

from lethe.schemas import CROSSEVAL, CROSSEVAL_EVIDENCE, CROSSEVAL_OPERATIONS, CROSSEVAL_QUESTIONS, VECTORS
from lethe.study import paths
from lethe.study.evidence import mode_answers, score_evidence
from lethe.study.setup import Setup
from lethe.study.step import Names, Rows, Step, Work

BENCHMARK = "locomo"


def _compute(operations: Rows, questions: Rows, vectors: Rows, answers: Rows) -> Mapping[str, Rows]:
    every = chain(answers, mode_answers(operations, questions, vectors))
    return {"evidence": score_evidence(BENCHMARK, every, questions)}


def _work(setup: Setup) -> Work:
    return Work(
        {
            "operations": [CROSSEVAL_OPERATIONS.path.format(benchmark=BENCHMARK)],
            "questions": [CROSSEVAL_QUESTIONS.path.format(benchmark=BENCHMARK)],
            "vectors": paths.vectors_of_material(f"crosseval/{BENCHMARK}"),
            "answers": paths.answers(CROSSEVAL, setup, BENCHMARK),
        }
    )


def _over(setup: Setup) -> Iterable[Names]:
    options = setup.benchmarks.get(BENCHMARK)
    return [{}] if options is not None and options.runs else []


STEP = Step(
    {
        "operations": CROSSEVAL_OPERATIONS,
        "questions": CROSSEVAL_QUESTIONS,
        "vectors": VECTORS,
        "answers": CROSSEVAL,
    },
    {"evidence": CROSSEVAL_EVIDENCE},
    _compute,
    _work,
    _over,
)
