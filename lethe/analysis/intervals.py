"""Confidence intervals of pass rates."""

from scipy.stats import binomtest


def wilson(passed: int, cases: int) -> tuple[float, float]:
    """The 95 % Wilson interval of passed / cases, as fractions; (0, 1) where there is no case."""
    if cases == 0:
        return 0.0, 1.0
    interval = binomtest(passed, cases).proportion_ci(0.95, method="wilson")
    return float(interval.low), float(interval.high)
