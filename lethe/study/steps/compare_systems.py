"""Every two systems on one suite, case by case."""

from collections.abc import Mapping, Sequence

from lethe.schemas import PAIRED, VERDICTS
from lethe.study.paired import paired_rows
from lethe.study.step import Rows, Step


def _compute(verdicts: Rows, controls: Sequence[str], resamples: int, seed: int) -> Mapping[str, Rows]:
    return {"paired": paired_rows(verdicts, frozenset(controls), resamples, seed)}


STEP = Step({"verdicts": VERDICTS}, {"paired": PAIRED}, _compute)
