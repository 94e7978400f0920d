"""Each system's passes by store size."""

from collections.abc import Mapping, Sequence

from lethe.analysis.step import Rows, Step
from lethe.analysis.store_size import score_sizes
from lethe.schemas import STORE_SIZE, TRIALS


def _compute(trials: Rows, suite: str, sizes: Sequence[int]) -> Mapping[str, Rows]:
    return {"scores": score_sizes(suite, sizes, trials)}


STEP = Step({"trials": TRIALS}, {"scores": STORE_SIZE}, _compute)
