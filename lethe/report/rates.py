"""How every configuration stands in each category of a suite, as the page holds it: one list a column."""

from collections.abc import Iterator
from typing import Any

from forgeteval.run.facts import MEASURES
from lethe.config.configurations import configuration_name
from lethe.report.inputs import SuiteInputs
from lethe.study.results import SuiteResults

_COLUMNS = ("system", "category", "measure", "rate", "low", "high", "count")
_Rate = tuple[str, str, str, float, float, float, int]


def category_rates(inputs: SuiteInputs) -> dict[str, list[Any]]:
    """Pass, leak, collateral and stale rate of each configuration by category.

    Returns:
        `system`, by its place among the configurations; `category`; `measure`, which is "pass" or one of
        `forgeteval.run.facts.MEASURES`; `rate`, `low` and `high`, shares; `count`, the number that the rate is of.
    """
    places = {name: place for place, name in enumerate(inputs.results.configurations)}
    rows = [
        (places[name], category, measure, *(float(f"{share:.4g}") for share in shares), count)
        for name, category, measure, *shares, count in (*_passes(inputs.results), *_facts(inputs))
    ]
    return {column: [row[at] for row in rows] for at, column in enumerate(_COLUMNS)}


def _passes(results: SuiteResults) -> Iterator[_Rate]:
    for name in results.configurations:
        for category in results.values("category"):
            score = results.score(name, category, "category")
            if score is not None:
                ends = score["wilson_low"], score["wilson_high"]
                yield name, category, "pass", score["rate"], *ends, score["cases"]


def _facts(inputs: SuiteInputs) -> Iterator[_Rate]:
    for row in inputs.states:
        if row["cut"] == "category" and row["measure"] in MEASURES:
            shares = row["rate"], row["low"], row["high"]
            yield configuration_name(row), row["value"], row["measure"], *shares, row["facts"]
