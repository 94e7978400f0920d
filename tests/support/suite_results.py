"""Scores of a small suite: ten substring traps and five compound facts, on seven systems."""

from dataclasses import replace
from typing import Any

import pytest

from lethe.schemas import ALL, WITHOUT_COMPOUND
from lethe.study.results import SuiteResults
from tests.support.tables import configurations, score
from tests.support.tables import results as results_of

SYSTEMS = {
    "lethe": {"label": "Lethe", "regime": "deterministic"},
    "null": {"label": "null", "regime": "control"},
    "mem0": {"label": "Mem0 & Co_50%", "regime": "deterministic"},
    "naive_sql": {"label": "Naive SQL", "regime": "deterministic"},
    "palace": {"label": "MemPalace", "regime": "no deletion"},
    "absent": {"label": "Absent", "regime": "deterministic"},
    "oracle": {"label": "oracle", "regime": "control"},
}
NOT_RUN = {"absent": "not run: left out by run.systems"}


def suite(
    *rows: dict[str, Any],
    label: str = "Mine",
    systems: dict[str, dict[str, Any]] | None = None,
    not_run: dict[str, str] | None = None,
) -> SuiteResults:
    entries = configurations(SYSTEMS if systems is None else systems)
    return replace(results_of(rows, entries, NOT_RUN if not_run is None else not_run, label), suite="mine")


def per_system(
    system: str, trap: dict[str, Any], compound: dict[str, Any], scorer: str = "substring"
) -> list[dict[str, Any]]:
    """The rows of one system under one scorer in a suite of ten substring traps and five compound facts."""
    total = {key: trap.get(key, 0) + compound.get(key, 0) for key in ("passed", "na", "errors")}
    return [
        score(system, "compound_fact", cases=5, scorer=scorer, **compound),
        score(system, "substring_trap", cases=10, scorer=scorer, **trap),
        score(system, ALL, cases=15, scorer=scorer, **total),
        score(system, WITHOUT_COMPOUND, cases=10, scorer=scorer, **trap),
    ]


CUT_SIZES = {
    "provenance": {"written_first": 5, "written_later": 10},
    "difficulty": {"manual": 5, "easy": 6, "hard": 4},
    "script": {"han": 2, "greek": 1},
}


def by_cut(system: str, cut: str, passed: tuple[int, ...], na: tuple[int, ...] = (0, 0, 0)) -> list[dict[str, Any]]:
    """The rows of one system by one cut, its parts in the order of CUT_SIZES."""
    parts = list(zip(CUT_SIZES[cut].items(), passed, na, strict=False))
    return [score(system, value, count, cases, cut=cut, na=lost) for (value, cases), count, lost in parts]


@pytest.fixture
def results() -> SuiteResults:
    nothing = {"passed": 0}
    return suite(
        *per_system("lethe", {"passed": 7}, {"passed": 1}),
        *per_system("mem0", {"passed": 6, "na": 3}, {"passed": 2, "errors": 1}),
        *per_system("naive_sql", {"passed": 9}, {"passed": 0, "errors": 5}),
        *per_system("palace", {**nothing, "na": 10}, {**nothing, "na": 5}),
        *per_system("null", {"passed": 0}, {"passed": 0}),
        *per_system("oracle", {"passed": 10}, {"passed": 5}),
        # The other scorers differ from substring, so that a table that mixes them up is found out.
        *per_system("lethe", {"passed": 3}, {"passed": 0}, "probed"),
        *per_system("lethe", {"passed": 9}, {"passed": 5}, "identifier"),
        *per_system("null", {"passed": 0}, {"passed": 1}, "probed"),
        *per_system("null", {"passed": 3}, {"passed": 0}, "identifier"),
        *per_system("oracle", {"passed": 9}, {"passed": 3}, "probed"),
        *per_system("oracle", {"passed": 10}, {"passed": 4}, "identifier"),
        *by_cut("lethe", "provenance", (4, 4)),
        *by_cut("mem0", "provenance", (2, 6), (1, 2)),
        *by_cut("naive_sql", "provenance", (5, 4)),
        *by_cut("palace", "provenance", (0, 0), (5, 10)),
        *by_cut("oracle", "provenance", (5, 10)),
        *by_cut("lethe", "difficulty", (2, 6, 0)),
        *by_cut("mem0", "difficulty", (5, 1, 2), (0, 3, 0)),
        *by_cut("naive_sql", "difficulty", (5, 4, 0)),
        *by_cut("palace", "difficulty", (0, 0, 0), (5, 6, 4)),
        *by_cut("lethe", "script", (1, 1)),
        *by_cut("mem0", "script", (1, 0), (1, 0)),
        *by_cut("naive_sql", "script", (0, 1)),
        *by_cut("palace", "script", (0, 0), (2, 1)),
        score("lethe", "e-mail", 1, 1, cut="identifier_type"),
    )


def with_models() -> SuiteResults:
    """A system with three models, of which the last did not run, beside its own row without a model."""
    systems = {
        name: {"label": label, "regime": regime}
        for name, label, regime in (
            ("mem0", "Mem0", "deterministic"),
            ("mem0@chat", "Mem0 (Chat)", "llm"),
            ("mem0@other", "Mem0 (Other)", "llm"),
            ("mem0@late", "Mem0 (Late)", "llm"),
            ("null@chat", "null (Chat)", "control"),
            ("null", "null", "control"),
        )
    }
    rows = [
        row
        for name, passed in (("mem0@other", 1), ("mem0", 2), ("mem0@chat", 3), ("null", 0))
        for row in (
            score(name, "purge", passed, 4),
            score(name, ALL, passed, 4, errors=int(name == "mem0@other")),
            score(name, "han", passed, 4, cut="script"),
        )
    ]
    reasons = {"mem0@late": "not run: llm.mode is off", "null@chat": "not run: a control"}
    return suite(*rows, systems=systems, not_run=reasons)
