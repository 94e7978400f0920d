"""Confidence intervals of pass rates."""


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
