"""The stores that nothing but themselves decides for, and which of them do alike."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.results import Score, SuiteResults
from lethe.study.setup import Setup

NO_MODEL = ("deterministic", "vec-only")
"""Regimes in which nothing but the store decides."""
RATES = ("leak", "collateral")
FactRates = Mapping[tuple[str, str], Row]
"""Rows of `lethe.schemas.FACT_STATES` over a whole suite, by configuration and measure."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Configurations whose leak and collateral are the same, by name; at least one."""

    names: Sequence[str]
    leak: Row
    collateral: Row


def fact_rates(rows: Iterable[Row]) -> FactRates:
    """The rates of each configuration over a whole suite.

    Args:
        rows: rows of `lethe.schemas.FACT_STATES` of one suite.
    """
    return {
        (configuration_name(row), row["measure"]): row for row in rows if (row["cut"], row["value"]) == ("overall", ALL)
    }


def has_verdict(score: Score | None) -> bool:
    """Whether it ran, and came to a verdict on some case."""
    return score is not None and score["na"] + score["errors"] < score["cases"]


def complete(setup: Setup, results: SuiteResults, rates: FactRates) -> list[str]:
    """Those with a verdict on every fact of the suite, so that no case is N/A, and without a caveat."""
    names = [
        name
        for name in setup.measured()
        if has_verdict(results.score(name))
        and name not in setup.caveats
        and all((name, measure) in rates for measure in RATES)
    ]
    facts = {measure: max((rates[name, measure]["facts"] for name in names), default=0) for measure in RATES}
    return [name for name in names if all(rates[name, each]["facts"] == facts[each] for each in RATES)]


def stores_alone(setup: Setup, results: SuiteResults, rates: FactRates) -> list[str]:
    """The complete ones with neither hook nor model."""
    return [name for name in complete(setup, results, rates) if setup.configurations[name].regime in NO_MODEL]


def alike(names: Iterable[str], rates: FactRates) -> list[Alike]:
    """Configurations by what they leak and lose, in the order of the first of each."""
    groups: dict[tuple[float, ...], list[str]] = {}
    for name in names:
        key = tuple(cast(float, rates[name, measure]["rate"]) for measure in RATES)
        groups.setdefault(key, []).append(name)
    return [Alike(same, rates[same[0], "leak"], rates[same[0], "collateral"]) for same in groups.values()]
