"""Questions that each system passed on one benchmark of other authors."""

from collections.abc import Iterable, Mapping

from lethe.schemas import CROSSEVAL, CROSSEVAL_HISTORIES, CROSSEVAL_OPERATIONS, CROSSEVAL_QUESTIONS, CROSSEVAL_SCORES
from lethe.study import paths
from lethe.study.crosseval import score_crosseval
from lethe.study.setup import Setup
from lethe.study.step import Names, Rows, Step, Work


def _compute(questions: Rows, operations: Rows, answers: Rows, histories: Rows, k: int) -> Mapping[str, Rows]:
    return {"scores": score_crosseval(answers, histories, questions, operations, k)}


def _work(setup: Setup, benchmark: str) -> Work:
    return Work(
        {
            "questions": [CROSSEVAL_QUESTIONS.path.format(benchmark=benchmark)],
            "operations": [CROSSEVAL_OPERATIONS.path.format(benchmark=benchmark)],
            "answers": paths.answers(CROSSEVAL, setup, benchmark),
            "histories": paths.answers(CROSSEVAL_HISTORIES, setup, benchmark),
        },
        {"k": setup.k},
    )


def _over(setup: Setup) -> Iterable[Names]:
    return ({"benchmark": name} for name, options in setup.benchmarks.items() if options.runs)


STEP = Step(
    {
        "questions": CROSSEVAL_QUESTIONS,
        "operations": CROSSEVAL_OPERATIONS,
        "answers": CROSSEVAL,
        "histories": CROSSEVAL_HISTORIES,
    },
    {"scores": CROSSEVAL_SCORES},
    _compute,
    _work,
    _over,
)
