"""What was there when the long histories asked."""

from collections.abc import Mapping

from lethe.schemas import LONG_ANSWERS, LONG_EVENTS, LONG_SCORES
from lethe.study.long import long_rows
from lethe.study.step import Rows, Step


def _compute(events: Rows, answers: Rows) -> Mapping[str, Rows]:
    return {"scores": long_rows(events, answers)}


STEP = Step({"events": LONG_EVENTS, "answers": LONG_ANSWERS}, {"scores": LONG_SCORES}, _compute)
