"""Confidence intervals of pass rates."""

from statsmodels.stats.proportion import proportion_confint


def wilson(passed: int, cases: int) -> tuple[float, float]:
    """The 95 % Wilson interval of passed / cases, as fractions; (0, 1) where there is no case."""
    if cases == 0:
        return 0.0, 1.0
    low, high = proportion_confint(passed, cases, alpha=0.05, method="wilson")
    return float(low), float(high)
