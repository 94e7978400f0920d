"""Time per case of each configuration."""

from collections.abc import Mapping

from lethe.schemas import LATENCY, TRIALS
from lethe.study.latency import latency_rows
from lethe.study.step import Rows, Step


def _compute(trials: Rows) -> Mapping[str, Rows]:
    return {"latency": latency_rows(trials)}


STEP = Step({"trials": TRIALS}, {"latency": LATENCY}, _compute)
