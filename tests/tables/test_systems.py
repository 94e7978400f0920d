"""Extended systems: measured beside printed, N/A left out and counted, and rows that did not run say so."""

from dataclasses import replace
from typing import Any

import pytest

from lethe.schemas import ALL
from lethe.study.published import Published, read_published
from lethe.study.results import SuiteResults
from lethe.tables.beyond.systems import ecosystem_table
from lethe.tables.table import Table
from tests.support.paths import PUBLISHED
from tests.support.tables import configurations, latency, rows_of, score, setup
from tests.support.tables import results as results_of

NOT_RUN = {
    "letta+llm": "not run: no model configured",
    "letta+uniform": "not run: it runs on request alone (run.heavy)",
}


def entry(system: str, label: str, regime: str = "vec-only", **more: str) -> dict[str, Any]:
    return {"system": system, "label": label, "regime": regime, **more}


SYSTEMS: dict[str, dict[str, Any]] = {
    "lethe": entry("lethe", "Lethe", "deterministic"),
    "letta": entry("letta", "Letta", contract="paper"),
    "letta+uniform": entry("letta+uniform", "Letta (uniform)", contract="uniform"),
    "letta+llm": entry("letta+llm", "Letta+LLM", "joint"),
    "a_mem@one": entry("a_mem", "A-MEM (One)", "inscribe-time LLM", contract="paper"),
    "a_mem@two": entry("a_mem", "A-MEM (Two)", "inscribe-time LLM", contract="paper"),
    "null": entry("null", "null", "control"),
}
SETUP = setup(configurations(SYSTEMS))


def scores_of(name: str, passed: int, na: int = 0, errors: int = 0) -> list[dict[str, Any]]:
    """Twenty cases, half of them prefix collisions."""
    return [
        score(name, "prefix_collision", passed, 10, na=na, errors=errors),
        score(name, ALL, passed, 20, na=na, errors=errors),
    ]


@pytest.fixture(scope="module")
def published() -> Published:
    return read_published(PUBLISHED)


@pytest.fixture
def results() -> SuiteResults:
    measured = [
        *scores_of("lethe", 9),
        *scores_of("letta", 3, na=4),
        *scores_of("a_mem@one", 5, errors=1),
        *scores_of("a_mem@two", 0, na=10),
    ]
    return results_of(measured, configurations(SYSTEMS), NOT_RUN)


def cells(table: Table) -> dict[str, dict[str, str]]:
    return {row[0]: dict(zip(table.header[1:], row[1:], strict=True)) for row in rows_of(table)}


def test_the_ecosystem_shows_every_system_with_its_contract(results: SuiteResults, published: Published) -> None:
    found = cells(ecosystem_table(results, [], [latency("lethe", 12.34)], published))
    assert set(found) == {entry["label"] for entry in SYSTEMS.values() if entry["regime"] != "control"}
    assert found["Letta"]["Passed/evaluable (%)"] == "3/16 (19) [4 N/A]"
    assert (found["Letta"]["Contract"], found["Letta"]["Published"]) == ("Paper", "203/310")
    assert found["Letta (uniform)"]["Passed/evaluable (%)"] == "not run"
    assert found["Letta (uniform)"]["Published"] == "", "the paper knows no such contract"
    assert (found["Lethe"]["ms/case"], found["Letta"]["ms/case"]) == ("12.3", "–")
    assert found["Lethe"]["Contract"] == "Both"


@pytest.fixture
def sample() -> SuiteResults:
    """Two cases of the twenty, on which Letta+LLM ran too."""
    measured = [
        each
        for name, passed in {"lethe": 1, "letta": 2, "letta+llm": 0}.items()
        for each in (score(name, "prefix_collision", passed, 2, errors=2 - passed), score(name, ALL, passed, 2))
    ]
    return replace(results_of(measured, configurations(SYSTEMS), {}), label="Sample")


def test_the_ecosystem_names_rows_of_a_sample(
    results: SuiteResults, sample: SuiteResults, published: Published
) -> None:
    table = ecosystem_table(results, [sample], [], published)
    found = cells(table)
    assert "Letta+LLM" not in found
    assert found["Letta+LLM, sample of 2"]["Passed/evaluable (%)"] == "0/2 (0)"
    assert found["Letta"]["Passed/evaluable (%)"] == "3/16 (19) [4 N/A]"
    assert "“Sample of n”" in table.caption
