"""The tables that set systems against each other: what each cell says, and that the published numbers stand beside."""

from typing import Any

import pytest

from lethe.study.published import Published, read_published
from lethe.study.setup import Suite
from lethe.tables.beyond.comparisons import (
    latency_table,
    paired_tests_table,
)
from tests.support.paths import PUBLISHED
from tests.support.tables import configuration, configurations, setup, texts

SYSTEMS = configurations(
    {
        "lethe": {"label": "Lethe", "regime": "deterministic", "system": "lethe", "model": ""},
        "mem0": {"label": "Mem0", "regime": "deterministic", "system": "mem0", "model": ""},
        "lethe+llm@m": {"label": "Lethe+LLM (M)", "regime": "mutation hook", "system": "lethe+llm", "model": "m"},
        "oracle": {"label": "oracle", "regime": "control", "system": "oracle", "model": ""},
    }
)
SETUP = setup(SYSTEMS)


@pytest.fixture(scope="module")
def paper() -> Published:
    return read_published(PUBLISHED)


def pair(first: str, second: str, scorer: str = "substring") -> dict[str, Any]:
    return {
        "suite": "mine", "scorer": scorer, "first": first, "second": second, "cases": 20, "both": 5, "first_only": 9,
        "second_only": 1, "neither": 5, "chi_squared": 4.9, "p_exact": 0.0215, "p_corrected": 0.0269,
        "p_exact_holm": 0.0004, "p_corrected_holm": 0.05, "difference": 0.4, "low": -0.0125, "high": 0.7,
        "resamples": 200,
    }  # fmt: skip


def test_paired_tests(paper: Published) -> None:
    table = paired_tests_table([pair("lethe", "mem0"), pair("lethe", "mem0", "probed")], SETUP, paper)
    assert texts(table)[0] == [
        ["Lethe", "Mem0", "9", "1", "0.021", "<0.001", "4.900", "0.027", "0.050", "+40.0 [−1.2, +70.0]"]
    ]
    assert texts(table)[1] == [["published: Lethe", "LangGraph", "5", "3", "", "", "0.125", "0.724", "", ""]]
    assert "family of 1 pairs" in table.caption


def test_too_many_pairs_leave_those_of_the_reference_system(paper: Published) -> None:
    systems = {f"s{n}": configuration(f"S{n}") for n in range(12)}
    pairs = [pair(f"s{a}", f"s{b}") for a in range(12) for b in range(a + 1, 12)]
    table = paired_tests_table(pairs, setup(systems, reference="s3"), paper)
    assert len(table.sections[0]) == 11 and all("S3" in row[:2] for row in texts(table)[0])
    assert "family of 66 pairs" in table.caption and "Shown are the 11 pairs of S3" in table.caption


def test_no_pair_is_said(paper: Published) -> None:
    table = paired_tests_table([], SETUP, paper)
    assert texts(table)[0][0][0] == "not run: fewer than two systems"


def latency(suite: str, name: str, **changed: Any) -> dict[str, Any]:
    system, _, model = name.partition("@")
    return {
        "suite": suite, "system": system, "model": model, "trials": 7, "inscribe_ms": 1.04, "mutate_ms": 2.0,
        "recall_ms": 0.5, "wall_ms": 3.54, "wall_low": 3.0, "wall_high": 4.0, "wall_median_ms": 3.3, "cpu_ms": 2.25,
        "llm_calls": 1.25,
    } | changed  # fmt: skip


def test_latency(paper: Published) -> None:
    rows = [latency("mine", "lethe"), latency("mine", "lethe+llm@m", wall_low=None, wall_high=None)]
    table = latency_table(rows, setup(SYSTEMS, suites={"mine": Suite("Mine", {})}), paper)
    assert texts(table) == [
        [
            ["Lethe", "7", "1.0", "2.0", "0.5", "2.2", "3.5", "[3.0, 4.0]", "3.3", "1.25", "74 ms"],
            ["Lethe+LLM (M)", "7", "1.0", "2.0", "0.5", "2.2", "3.5", "–", "3.3", "1.25", "2.3 s"],
        ]
    ]
    assert texts(latency_table([], SETUP, paper))[0][0][0] == "not run"


def part(hooked: str, label: str, row: str, cases: int, passed: int, na: int = 0) -> dict[str, Any]:
    names = ("suite", "hooked", "label", "configuration", "cases", "passed", "na", "errors")
    return dict(zip(names, ("mine", hooked, label, row, cases, passed, na, 0), strict=True))
