"""Questions that each system passed on one benchmark of other authors."""

from collections.abc import Mapping

from lethe.analysis.crosseval import score_crosseval
from lethe.analysis.step import Rows, Step
from lethe.schemas import CROSSEVAL, CROSSEVAL_HISTORIES, CROSSEVAL_QUESTIONS, CROSSEVAL_SCORES


def _compute(questions: Rows, answers: Rows, histories: Rows) -> Mapping[str, Rows]:
    return {"scores": score_crosseval(answers, histories, questions)}


STEP = Step(
    {"questions": CROSSEVAL_QUESTIONS, "answers": CROSSEVAL, "histories": CROSSEVAL_HISTORIES},
    {"scores": CROSSEVAL_SCORES},
    _compute,
)
