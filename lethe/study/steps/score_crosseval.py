"""Questions that each system passed on one benchmark of other authors."""

from collections.abc import Mapping

from lethe.schemas import CROSSEVAL, CROSSEVAL_HISTORIES, CROSSEVAL_QUESTIONS, CROSSEVAL_SCORES
from lethe.study.crosseval import score_crosseval
from lethe.study.step import Rows, Step


def _compute(questions: Rows, answers: Rows, histories: Rows) -> Mapping[str, Rows]:
    return {"scores": score_crosseval(answers, histories, questions)}


STEP = Step(
    {"questions": CROSSEVAL_QUESTIONS, "answers": CROSSEVAL, "histories": CROSSEVAL_HISTORIES},
    {"scores": CROSSEVAL_SCORES},
    _compute,
)
