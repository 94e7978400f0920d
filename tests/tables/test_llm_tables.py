"""The tables about chat models: which cell says what, with and without a model."""

from typing import Any

from lethe.analysis.intervals import wilson
from lethe.analysis.results import SuiteResults
from lethe.schemas import ALL
from lethe.tables.cells import PaperTable
from lethe.tables.llm_tables import NO_MODEL, cross_architecture_table, cross_llm_table, llm_cost_table

SYSTEMS: dict[str, dict[str, Any]] = {
    "lethe": {"label": "Lethe", "regime": "deterministic", "backend": "lethe", "environment": "pipeline"},
    "lethe+llm": {
        "label": "Lethe+LLM",
        "regime": "mutation hook",
        "backend": "lethe",
        "environment": "pipeline",
        "hook": "llm",
    },
}


def rows(*models: str) -> dict[str, dict[str, Any]]:
    """The table rows for these models, as lethe.config.configurations makes them."""
    known: dict[str, dict[str, Any]] = {"lethe": {**SYSTEMS["lethe"], "system": "lethe", "model": ""}}
    for model in models:
        label = f"Lethe+LLM ({model})"
        known[f"lethe+llm@{model}"] = {**SYSTEMS["lethe+llm"], "label": label, "system": "lethe+llm", "model": model}
    if not models:
        known["lethe+llm"] = {**SYSTEMS["lethe+llm"], "system": "lethe+llm", "model": ""}
    return known


def score(passed: int, cases: int = 4, errors: int = 0) -> dict[str, Any]:
    low, high = wilson(passed, cases)
    return {
        "cases": cases, "passed": passed, "failed": cases - passed - errors, "na": 0, "errors": errors,
        "rate": passed / cases, "wilson_low": low, "wilson_high": high, "evaluable_rate": 0.5, "wall_ms": 1.0,
    }  # fmt: skip


def results(*models: str, **passed: int) -> SuiteResults:
    systems = rows(*models)
    scores = {}
    for row, count in {"lethe": 1, **{f"lethe+llm@{model}": count for model, count in passed.items()}}.items():
        scores[row, "substring", "overall", ALL] = score(count)
        scores[row, "substring", "category", "compound_fact"] = score(count)
    not_run = {} if models else {"lethe+llm": NO_MODEL}
    return SuiteResults("mine", "Mine", "substring", scores, systems, not_run)


def run(model: str, rate: float, sd: float | None = None, **values: Any) -> dict[str, Any]:
    return {
        "suite": "mine", "system": "lethe+llm", "model": model, "repetitions": 1 if sd is None else 2, "cases": 4,
        "rate": rate, "rate_sd": sd, "errors": 0, "first_error": None, "calls": 9, "fallbacks": 2, "tokens_in": 900,
        "tokens_out": 90, "cost_usd": 1.234, "mutate_ms": 12.3, **values,
    }  # fmt: skip


def cells(table: PaperTable) -> list[list[str]]:
    return [list(row) for section in table.sections for row in section]


def test_cross_llm_gives_each_model_and_its_gain() -> None:
    table = cross_llm_table(
        results("a", "b", a=3, b=2), [run("a", 0.75), run("b", 0.5, 0.1)], {"a": "Model A", "b": "Model B"}
    )
    assert list(table.header) == ["Backend", "no LLM", "Model A", "Model B"]
    assert cells(table) == [["Lethe", "1 (25)", "75.0", "50.0 ± 10.0"], ["Δ pt", "–", "+50", "+25"]]


def test_cross_llm_shows_no_gain_for_a_model_that_never_answered() -> None:
    table = cross_llm_table(results("a", a=0), [run("a", 0.0, errors=4)], {"a": "A"})
    assert cells(table) == [["Lethe", "1 (25)", "error"], ["Δ pt", "–", ""]]


def test_without_a_model_every_table_says_so() -> None:
    bare = results()
    assert cells(cross_llm_table(bare, [], {})) == [["Lethe", "1 (25)", NO_MODEL]]
    assert cells(llm_cost_table([bare], [])) == [[NO_MODEL, *[""] * 9]]
    architecture = cross_architecture_table(bare)
    assert {row[1] for row in cells(architecture)} == {"not run"}
    assert list(architecture.notes) == [f"Lethe+LLM: {NO_MODEL}."]


def test_cross_architecture_has_the_hooked_rows_alone() -> None:
    table = cross_architecture_table(results("a", a=3))
    assert list(table.header) == ["Category", "Lethe+LLM (a)"]
    assert cells(table)[0] == ["compound_fact (n=4)", "3 (75)"]


def test_cost_table() -> None:
    table = llm_cost_table([results("a", a=3)], [run("a", 0.75, errors=1)])
    assert cells(table) == [
        ["Mine", "Lethe+LLM (a)", "4", "75.0", "9", "900/90", "1.23", "12", "2", "1"],
    ]
