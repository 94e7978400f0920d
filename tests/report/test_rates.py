from lethe.report.rates import category_rates
from tests.support.report import SYSTEMS, suite_inputs

NAMES = list(SYSTEMS)
RATES = category_rates(suite_inputs())
ROWS = [dict(zip(RATES, row, strict=True)) for row in zip(*RATES.values(), strict=True)]


def found(system: str, category: str, measure: str) -> list[dict[str, object]]:
    wanted = {"system": NAMES.index(system), "category": category, "measure": measure}
    return [row for row in ROWS if wanted.items() <= row.items()]


def test_passes_have_the_interval_of_the_analysis() -> None:
    (row,) = found("lethe+matcher", "prefix_collision", "pass")
    assert (row["rate"], row["low"], row["high"], row["count"]) == (0.5, 0.09453, 0.9055, 2)
    assert found("absent", "prefix_collision", "pass") == []


def test_rates_of_facts_are_those_of_the_category() -> None:
    (row,) = found("lethe", "substring_trap", "leak")
    assert (row["rate"], row["low"], row["high"], row["count"]) == (0.5, 0.1, 0.9, 4)
    assert found("lethe", "prefix_collision", "leak") == found("lethe", "all", "leak") == []
