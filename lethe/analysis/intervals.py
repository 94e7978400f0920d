"""Confidence intervals of pass rates."""

from collections.abc import Sequence


def wilson(passed: int, cases: int) -> tuple[float, float]:
    """The 95 % Wilson interval of passed / cases, as fractions; (0, 1) where there is no case."""
    if cases == 0:
        return 0.0, 1.0
    # Slow to import; many modules that import this one compute no interval.
    from scipy.stats import binomtest

    interval = binomtest(passed, cases).proportion_ci(0.95, method="wilson")
    return float(interval.low), float(interval.high)


def newcombe(passed: float, cases: int, other_passed: float, other_cases: int) -> tuple[float, float]:
    """The 95 % Newcombe interval of passed/cases minus other_passed/other_cases, of different cases, as fractions."""
    from statsmodels.stats.proportion import confint_proportions_2indep

    low, high = confint_proportions_2indep(passed, cases, other_passed, other_cases, method="newcomb", compare="diff")
    return float(low), float(high)


def wilson_of_clusters(clusters: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """The 95 % Wilson interval of a share whose items come in clusters, such as the facts of a case, as fractions.

    The number of items is divided by the design effect: the variance of the ratio between clusters over that of as many
    independent items (Kish, Survey Sampling, 1965), at least 1. Where all or no items count, every cluster is one item.

    Args:
        clusters: (items that count, items) of each cluster, which is not empty.
    """
    from statsmodels.stats.proportion import proportion_confint

    counted, items = (sum(numbers) for numbers in zip(*clusters, strict=True))
    number, rate = len(clusters), counted / items
    if number == 1 or rate in (0, 1):
        effective = float(number)
    else:
        spread = sum((own - rate * size) ** 2 for own, size in clusters) * number / (number - 1) / items**2
        effective = items / max(1.0, spread / (rate * (1 - rate) / items))
    low, high = proportion_confint(rate * effective, effective, 0.05, method="wilson")
    # At 0 and 1 an end can miss the rate by a rounding error.
    return min(float(low), rate), max(float(high), rate)


def rate_of_clusters(clusters: Sequence[tuple[int, int]]) -> dict[str, float]:
    """The columns of such a share: facts, those that count, their rate, and its interval.

    Args:
        clusters: (facts that count, facts) of each cluster, which is not empty.
    """
    counted, facts = (sum(numbers) for numbers in zip(*clusters, strict=True))
    low, high = wilson_of_clusters(clusters)
    return {"facts": facts, "counted": counted, "rate": counted / facts, "low": low, "high": high}
