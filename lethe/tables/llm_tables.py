"""The tables of rows that ask a chat model: the grid of backends and models, by category, and what a run costs."""

from collections.abc import Mapping, Sequence
from typing import Any

from lethe.analysis.results import SuiteResults
from lethe.tables.cells import PaperTable
from lethe.tables.tables import category_rows, pass_cell, points

Row = Mapping[str, Any]

NO_MODEL = "not run: no model configured"


def cross_llm_table(results: SuiteResults, runs: Sequence[Row], models: Mapping[str, str]) -> PaperTable:
    """Backends by models with the gain over the same backend without a hook (paper, Table "cross_llm").

    Args:
        runs: rows of `lethe.schemas.LLM_RUNS` of the suite.
        models: name of each configured model to its label.
    """
    by_row = {(run["system"], run["model"]): run for run in runs}
    hooked = list(dict.fromkeys(row["system"] for row in results.systems.values() if row.get("hook") == "llm"))
    sections = []
    for system in hooked:
        unhooked = _unhooked(results, system)
        base = results.score(unhooked)
        cells = [results.label_of(unhooked), "not run" if base is None else pass_cell(base)]
        gains = ["Δ pt", "–"]
        for model in models:
            run = by_row.get((system, model))
            cells.append(_rate(run))
            compared = base is not None and run is not None and run["errors"] < run["cases"] * run["repetitions"]
            gains.append(points(run["rate"] - base["rate"]) if compared and run and base else "")
        sections.append([cells, gains] if models else [[*cells, NO_MODEL]])
    return PaperTable(
        "cross_llm",
        f"Hooked backends by chat model, {results.label.lower()} suite, measured here: percent of cases passed, "
        " with the standard deviation over repetitions where there are several; Δ is the gain over the backend "
        "without a hook, in percentage points.",
        ("Backend", "no LLM", *(models.values() or ["LLM"])),
        sections,
        results.notes(name for name, row in results.systems.items() if row.get("hook") == "llm"),
        wide=True,
    )


def cross_architecture_table(results: SuiteResults) -> PaperTable:
    """The hooked rows by category (paper, Table "cross_arch")."""
    rows = [name for name, row in results.systems.items() if row["regime"] == "mutation hook"]
    return PaperTable(
        "cross_architecture",
        f"Rows with a mutation-time hook by category, {results.label.lower()} suite, measured here, {results.scorer} "
        "scorer. Cells: cases passed (percent).",
        ("Category", *(results.label_of(name) for name in rows)),
        category_rows(results, rows),
        results.notes(rows),
        wide=True,
    )


def llm_cost_table(results: Sequence[SuiteResults], runs: Sequence[Row]) -> PaperTable:
    """Calls, cost, time, fallbacks and errors of each run with a chat model."""
    labels = {found.suite: found.label for found in results}
    systems = results[0].systems
    rows = [
        [
            labels[run["suite"]],
            str(systems[f"{run['system']}@{run['model']}"]["label"]),
            str(run["cases"] * run["repetitions"]),
            _rate(run),
            str(run["calls"]),
            f"{run['tokens_in']}/{run['tokens_out']}",
            f"{run['cost_usd']:.2f}",
            "–" if run["mutate_ms"] is None else f"{run['mutate_ms']:.0f}",
            str(run["fallbacks"]),
            str(run["errors"]),
        ]
        for run in runs
    ]
    header = ("Suite", "Row", "trials", "pass %", "calls", "tokens in/out", "USD", "ms/case", "fallbacks", "errors")
    nothing = [[NO_MODEL, *("" for _ in header[1:])]]
    return PaperTable(
        "llm_cost",
        "Runs with a chat model, measured here. Calls and tokens count cached answers too; USD is what the answers "
        "cost when they were made; ms/case is the median time of a case's mutations; a fallback is a decision that the "
        "model gave no usable answer for; an error is a trial for which it never answered.",
        header,
        [rows or nothing],
        wide=True,
    )


def _unhooked(results: SuiteResults, system: str) -> str:
    """The row of the same backend and policies without a hook."""
    rows = results.systems
    hooked = next(row for row in rows.values() if row["system"] == system)
    same = ("backend", "policies", "environment")
    return next(
        name for name, row in rows.items() if "hook" not in row and all(row.get(key) == hooked.get(key) for key in same)
    )


def _rate(run: Row | None) -> str:
    if run is None:
        return "not run"
    if run["errors"] == run["cases"] * run["repetitions"]:
        return "error"
    spread = "" if run["rate_sd"] is None else f" ± {100 * run['rate_sd']:.1f}"
    return f"{100 * run['rate']:.1f}{spread}"
