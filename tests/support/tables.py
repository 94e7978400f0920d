"""Records and scores that tests of tables, figures, comparisons and the report are made of."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.scoring.intervals import wilson
from lethe.config.configurations import Configuration, configuration_name
from lethe.crosseval.selection import BENCHMARKS
from lethe.parquet import write_rows
from lethe.schemas import ALL, TABLES, WITHOUT_COMPOUND
from lethe.study.results import SuiteResults
from lethe.study.setup import (
    NO_JUDGE,
    Benchmark,
    EmbedderAblation,
    Judge,
    Latency,
    Release,
    Setup,
    StoreSize,
    Suite,
)
from lethe.tables.table import Table


def configuration(label: str, regime: str = "deterministic", **more: Any) -> Configuration:
    """An entry of the tables; its system is its label in lower case unless given."""
    return Configuration(**{"system": label.lower(), **more, "label": label, "regime": regime})


def configurations(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Configuration]:
    """Entries by name from their fields; a system is the name before "@" unless given."""
    return {
        name: Configuration(**{"system": name.partition("@")[0], "model": name.partition("@")[2], **entry})
        for name, entry in entries.items()
    }


def setup(entries: Mapping[str, Configuration] | None = None, **changes: Any) -> Setup:
    """The record of a workflow with one suite, `mine`, on which every configuration runs."""
    suites = {"mine": Suite("Mine", {})}
    given: dict[str, Any] = {
        "configurations": entries or {"lethe": configuration("Lethe")},
        "suites": suites,
        "empty_suites": {},
        "template_suite": "mine",
        "adversarial_suite": "mine",
        "held_out_suite": "held_out",
        "scorer": "substring",
        "reference": "lethe",
        "judges": {},
        "no_judge": NO_JUDGE,
        "models": {},
        "families": {},
        "parameters": {},
        "benchmarks": {name: Benchmark(False, None, {}) for name in BENCHMARKS},
        "reading": "released",
        "hook_pairs": [],
        "release": Release("not run: no release", {name: f"published_{name}" for name in ("adversarial", "external")}),
        "latency": Latency(1, 3),
        "store_size": StoreSize(False, "Mine", [], "mine", [0], 1),
        "embedder": "all-MiniLM-L6-v2",
        "embedder_ablation": EmbedderAblation({}, []),
        "resamples": 100,
        "seed": 42,
        "repetitions": {"": 1} | {entry.model: 1 for entry in (entries or {}).values()},
    }
    given |= changes
    labels = {given["adversarial_suite"]: "Mine"} | {name: suite.label for name, suite in given["suites"].items()}
    return Setup(**{"suite_labels": labels} | given)


def judges(not_run: Mapping[str, str] | None = None, **labels: str) -> dict[str, Judge]:
    """Judges by name from their labels, each of a model family of its own.

    Args:
        not_run: suite to the reason why none of them judges there.
    """
    return {name: Judge(label, f"family of {name}", False, not_run or {}) for name, label in labels.items()}


def write_inputs(root: Path, paths: Iterable[str]) -> None:
    """Write an empty Parquet file for each input below `root`."""
    for path in paths:
        for table in TABLES:
            pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(table.path))
            if re.fullmatch(pattern, path):
                write_rows(root / path, table, [], "test")


def texts(table: Table) -> list[list[list[str]]]:
    """The printed cells, section by section."""
    return [[[cell.text for cell in row] for row in section] for section in table.sections]


def rows_of(table: Table) -> list[list[str]]:
    """The printed cells of all rows."""
    return [[cell.text for cell in row] for row in table.rows()]


def by_header(table: Table) -> list[dict[str, str]]:
    """The printed cells of all rows by their column."""
    return [dict(zip(table.header, row, strict=True)) for row in rows_of(table)]


def latency(name: str, wall_ms: float) -> dict[str, Any]:
    """What tables take of one row of `lethe.schemas.LATENCY`."""
    system, _, model = name.partition("@")
    return {"system": system, "model": model, "wall_ms": wall_ms}


def score(
    name: str,
    value: str,
    passed: int,
    cases: int,
    *,
    cut: str | None = None,
    scorer: str = "substring",
    na: int = 0,
    errors: int = 0,
) -> dict[str, Any]:
    """One row of `lethe.schemas.SCORES`, of SYSTEM or SYSTEM@MODEL.

    The cut is `overall` or `category`, as the value says, unless given.
    """
    system, _, model = name.partition("@")
    low, high = wilson(passed, cases)
    evaluated = cases - na - errors
    return {
        "suite": "mine",
        "system": system,
        "model": model,
        "scorer": scorer,
        "cut": cut or ("overall" if value in (ALL, WITHOUT_COMPOUND) else "category"),
        "value": value,
        "cases": cases,
        "passed": passed,
        "failed": evaluated - passed,
        "na": na,
        "errors": errors,
        "leaks": 0,
        "collateral": 0,
        "rate": passed / cases,
        "wilson_low": low,
        "wilson_high": high,
        "evaluable_rate": passed / evaluated if evaluated else None,
    }


def results(
    rows: Sequence[Mapping[str, Any]],
    entries: Mapping[str, Configuration],
    not_run: Mapping[str, str] | None = None,
    label: str = "Mine",
    scorer: str = "substring",
) -> SuiteResults:
    """The scores of a suite."""
    scores: Any = {(configuration_name(row), row["scorer"], row["cut"], row["value"]): row for row in rows}
    assert len(scores) == len(rows)
    return SuiteResults(label.lower(), label, scorer, scores, entries, not_run or {})


_SHARE: dict[str, Any] = {
    "table": "external",
    "row": "all",
    "column": "lethe",
    "unit": "cases",
    "printed": "26",
    "published": 26.0,
    "published_n": 77,
    "state": "measured",
    "configuration": "Lethe",
    "source": "Published, external",
    "measured": 20.0,
    "measured_n": 77,
    "broken": 0,
    "compared": 77,
    "only_published": 8,
    "only_here": 2,
    "p": 0.109,
    "recounted": 26.0,
    "recounted_n": 77,
    "recounted_run": "external: lethe (v0.7, probed)",
    "later": None,
    "later_n": None,
    "later_run": "",
    "difference": -7.79,
    "low": None,
    "high": None,
    "verdict": "differs",
    "restates": "",
    "note": "another threshold",
}
_NOTHING = (
    *("measured", "measured_n", "broken", "compared", "only_published", "only_here", "p"),
    *("recounted", "recounted_n", "difference"),
)
_END: dict[str, Any] = {
    **_SHARE,
    **dict.fromkeys(_NOTHING),
    "table": "template",
    "row": "lethe",
    "column": "wilson_low",
    "unit": "percent",
    "printed": "98.56",
    "published": 98.56,
    "published_n": None,
    "state": "recounted",
    "configuration": "",
    "source": "",
    "recounted": 98.4567,
    "recounted_run": "full_1000.json",
    "difference": -0.1,
    "verdict": "equal",
    "note": "",
}
_RESTATED = {**_SHARE, "table": "text_external", "restates": "external"}
_PRINTED = {
    **_SHARE,
    **dict.fromkeys(_NOTHING),
    "column": "lethe+llm",
    "state": "printed",
    "configuration": "",
    "source": "",
    "recounted_run": "",
    "verdict": "no answer",
    "note": "no run here asks DeepSeek-V3",
}
REPLICATION_ROWS = [_SHARE, _PRINTED, _END, _RESTATED]
"""Rows of `lethe.schemas.REPLICATION`, one of each kind."""
