"""Confidence intervals of pass rates and of their differences, all of 95 %."""

import math
from collections.abc import Sequence

_Z = 1.959963984540054
"""The 0.975 quantile of the normal distribution."""


def wilson(passed: float, cases: float) -> tuple[float, float]:
    """The 95 % Wilson interval of passed / cases, as fractions; (0, 1) where there is no case.

    >>> low, high = wilson(118, 385)
    >>> f"{low:.3f} to {high:.3f}"
    '0.263 to 0.354'
    """
    if cases == 0:
        return 0.0, 1.0
    rate = passed / cases
    width = 2 * (cases + _Z**2)
    center = (2 * cases * rate + _Z**2) / width
    margin = _Z / width * math.sqrt(4 * cases * rate * (1 - rate) + _Z**2)
    return 0.0 if passed == 0 else center - margin, 1.0 if passed == cases else center + margin


def newcombe(passed: float, cases: float, other_passed: float, other_cases: float) -> tuple[float, float]:
    """The 95 % Newcombe interval of passed/cases minus other_passed/other_cases, of different cases, as fractions.

    Two Wilson intervals are joined by the square-and-add method (Newcombe 1998, method 10).
    """
    low, high = wilson(passed, cases)
    other_low, other_high = wilson(other_passed, other_cases)
    rate, other = passed / cases, other_passed / other_cases
    down, up = math.hypot(rate - low, other_high - other), math.hypot(high - rate, other - other_low)
    return rate - other - down, rate - other + up


def wilson_of_clusters(clusters: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """The 95 % Wilson interval of a share whose items come in clusters, such as the facts of a case, as fractions.

    The number of items is divided by the design effect: the variance of the ratio between clusters over that of as many
    independent items (Kish, Survey Sampling, 1965), at least 1. Where all or no items count, every cluster is one item.

    Args:
        clusters: (items that count, items) of each cluster, which is not empty.
    """
    counted, items = (sum(numbers) for numbers in zip(*clusters, strict=True))
    number, rate = len(clusters), counted / items
    if number == 1 or rate in (0, 1):
        effective = float(number)
    else:
        spread = math.fsum((own - rate * size) ** 2 for own, size in clusters) * number / (number - 1) / items**2
        effective = items / max(1.0, spread / (rate * (1 - rate) / items))
    low, high = wilson(rate * effective, effective)
    # At 0 and 1 an end can miss the rate by a rounding error.
    return min(low, rate), max(high, rate)


def rate_of_clusters(clusters: Sequence[tuple[int, int]]) -> dict[str, float]:
    """The columns of such a share: facts, those that count, their rate, and its interval.

    Args:
        clusters: (facts that count, facts) of each cluster, which is not empty.
    """
    counted, facts = (sum(numbers) for numbers in zip(*clusters, strict=True))
    low, high = wilson_of_clusters(clusters)
    return {"facts": facts, "counted": counted, "rate": counted / facts, "low": low, "high": high}
