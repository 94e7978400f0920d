"""Each system's passes by store size."""

from collections.abc import Mapping, Sequence

from lethe.schemas import STORE_SIZE, TRIALS
from lethe.study.step import Rows, Step
from lethe.study.store_size import score_sizes


def _compute(trials: Rows, suite: str, sizes: Sequence[int]) -> Mapping[str, Rows]:
    return {"scores": score_sizes(suite, sizes, trials)}


STEP = Step({"trials": TRIALS}, {"scores": STORE_SIZE}, _compute)
