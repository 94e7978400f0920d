"""Each configuration on the cases that have a twin, on the twins, and on both of a pair."""

from collections.abc import Mapping

from lethe.schemas import CASES, TRIALS, TWINS, VERDICTS
from lethe.stored.cases import suite_from_rows
from lethe.study.step import Rows, Step
from lethe.study.twins import twin_rows


def _compute(twins: Rows, trials: Rows, twin_verdicts: Rows, case_verdicts: Rows, scorer: str) -> Mapping[str, Rows]:
    return {"pairs": twin_rows(suite_from_rows(twins), trials, twin_verdicts, case_verdicts, scorer)}


STEP = Step(
    {"twins": CASES, "trials": TRIALS, "twin_verdicts": VERDICTS, "case_verdicts": VERDICTS},
    {"pairs": TWINS},
    _compute,
)
