"""Time per case of each configuration."""

from collections.abc import Mapping

from lethe.analysis.latency import latency_rows
from lethe.analysis.step import Rows, Step
from lethe.schemas import LATENCY, TRIALS


def _compute(trials: Rows) -> Mapping[str, Rows]:
    return {"latency": latency_rows(trials)}


STEP = Step({"trials": TRIALS}, {"latency": LATENCY}, _compute)
