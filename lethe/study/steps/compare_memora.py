"""The answers to Memora's questions beside the released verdicts, question by question."""

from collections.abc import Iterable, Mapping

from lethe.schemas import CROSSEVAL, CROSSEVAL_QUESTIONS, MEMORA_REPLICAS, RELEASED_MEMORA
from lethe.study import paths
from lethe.study.released.memora import memora_replica_rows
from lethe.study.setup import Setup
from lethe.study.step import Names, Rows, Step, Work


def _compute(released: Rows, questions: Rows, answers: Rows) -> Mapping[str, Rows]:
    return {"replicas": memora_replica_rows(released, answers, questions)}


def _work(setup: Setup) -> Work:
    return Work(
        {
            "released": [RELEASED_MEMORA.path],
            "questions": [CROSSEVAL_QUESTIONS.path.format(benchmark="memora")],
            "answers": paths.answers(CROSSEVAL, setup, "memora"),
        }
    )


def _over(setup: Setup) -> Iterable[Names]:
    return [{}] if setup.memora_is_compared() else []


STEP = Step(
    {"released": RELEASED_MEMORA, "questions": CROSSEVAL_QUESTIONS, "answers": CROSSEVAL},
    {"replicas": MEMORA_REPLICAS},
    _compute,
    _work,
    _over,
)
