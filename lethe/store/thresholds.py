"""The thresholds of operations addressed by a query: how many candidates are meant, and whether any is."""

import itertools
from collections.abc import Sequence
from typing import Literal

MINIMUM_GAP = 0.05
TOP_SHARE = 0.95
Floor = float | Literal["measured"] | None
"""The similarity from which a memory meets a request: a number, that of the store's embedder, or none at all."""
MEASURED: Literal["measured"] = "measured"
FLOOR = 0.37
"""That of all-MiniLM-L6-v2 (`benchmarks/store_floor.py`), and of embedders that were not measured."""


def largest_gap_threshold(similarities: Sequence[float]) -> float:
    """The similarity at or above which candidates are released.

    The middle of the largest gap between neighbours in the sorted similarities (the highest of equal gaps) if
    that gap is at least `MINIMUM_GAP`, else `TOP_SHARE` times the highest, as also for a single candidate. The
    order of the input does not matter. Raises `ValueError` if there are no similarities.
    """
    if not similarities:
        raise ValueError("a threshold needs at least one similarity")
    ranked = sorted(similarities, reverse=True)
    neighbours = list(itertools.pairwise(ranked))
    if neighbours:
        upper, lower = max(neighbours, key=lambda pair: pair[0] - pair[1])
        if upper - lower >= MINIMUM_GAP:
            return (upper + lower) / 2
    return TOP_SHARE * ranked[0]
