"""What was there when the long histories asked."""

from collections.abc import Mapping

from lethe.analysis.long import long_rows
from lethe.analysis.step import Rows, Step
from lethe.schemas import LONG_ANSWERS, LONG_EVENTS, LONG_SCORES


def _compute(events: Rows, answers: Rows) -> Mapping[str, Rows]:
    return {"scores": long_rows(events, answers)}


STEP = Step({"events": LONG_EVENTS, "answers": LONG_ANSWERS}, {"scores": LONG_SCORES}, _compute)
