"""The answers to Memora's questions beside the released verdicts, question by question."""

from collections.abc import Mapping

from lethe.schemas import CROSSEVAL, CROSSEVAL_QUESTIONS, MEMORA_REPLICAS, RELEASED_MEMORA
from lethe.study.released.memora import memora_replica_rows
from lethe.study.step import Rows, Step


def _compute(released: Rows, questions: Rows, answers: Rows) -> Mapping[str, Rows]:
    return {"replicas": memora_replica_rows(released, answers, questions)}


STEP = Step(
    {"released": RELEASED_MEMORA, "questions": CROSSEVAL_QUESTIONS, "answers": CROSSEVAL},
    {"replicas": MEMORA_REPLICAS},
    _compute,
)
