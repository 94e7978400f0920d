"""Two systems on the same cases: McNemar's test, and the interval of the difference of their pass rates."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
_CHUNK = 500
"""Resamples drawn at once, which bounds memory at a few megabytes for a suite of a thousand cases."""

Pair = tuple[str, str]
Shares = Mapping[str, NDArray[np.float64]]
"""Configuration to the share of its repetitions that passed, one float for each case, in one order of the cases."""


def mcnemar_table(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The 2 × 2 counts of two systems' passes on the same cases: [[both, first only], [second only, neither]]."""
    return np.array(
        [[(first & second).sum(), (first & ~second).sum()], [(~first & second).sum(), (~first & ~second).sum()]],
        dtype=np.int64,
    )


def mcnemar_exact(first_only: int, second_only: int) -> float:
    """The two-sided p-value of McNemar's exact test: how likely so uneven a split of the discordant cases is by chance.

    >>> round(mcnemar_exact(34, 16), 3)
    0.015
    >>> mcnemar_exact(0, 0)
    1.0
    """
    discordant, least = first_only + second_only, min(first_only, second_only)
    tail = ways = 1
    for fewer in range(1, least + 1):
        ways = ways * (discordant - fewer + 1) // fewer
        tail += ways
    return min(1.0, 2 * tail / (1 << discordant))


def holm(values: Sequence[float]) -> list[float]:
    """The p-values of several tests, adjusted for their number by Holm's method.

    >>> holm([0.01, 0.5, 0.02])
    [0.03, 0.5, 0.04]
    """
    found = np.array(values)
    order = np.argsort(found)
    raised = np.maximum.accumulate(found[order] * np.arange(len(found), 0, -1))
    found[order] = np.minimum(raised, 1.0)
    adjusted: list[float] = found.tolist()
    return adjusted


def bootstrap_differences(
    shares: Shares, resamples: int, seed: int, pairs: Iterable[Pair] | None = None
) -> dict[Pair, tuple[float, float]]:
    """Percentile 95 % intervals of the difference of mean shares, cases resampled together.

    Args:
        pairs: those that are compared; each two where None.
    """
    matrix = np.array(list(shares.values()))
    cases = matrix.shape[1]
    generator = np.random.default_rng(seed)
    means = np.concatenate(
        [
            generator.multinomial(cases, np.full(cases, 1 / cases), size=min(_CHUNK, resamples - start))
            @ matrix.T
            / cases
            for start in range(0, resamples, _CHUNK)
        ]
    )
    tail = 100 * (1 - CONFIDENCE) / 2
    column = {name: means[:, place] for place, name in enumerate(shares)}
    intervals = {}
    for first, second in combinations(shares, 2) if pairs is None else pairs:
        low, high = np.percentile(column[first] - column[second], [tail, 100 - tail])
        intervals[first, second] = float(low), float(high)
    return intervals
