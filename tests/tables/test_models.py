"""The tables about chat models: which cell says what, with and without a model."""

from typing import Any

from lethe.config.configurations import Configuration
from lethe.schemas import ALL
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup
from lethe.tables.beyond.models import NO_MODEL, cross_architecture_table, cross_llm_table, llm_cost_table
from tests.support.tables import configuration, rows_of, score, setup
from tests.support.tables import results as results_of


def entries(*models: str) -> dict[str, Configuration]:
    """Lethe, and Lethe with a hook for each of these models, as lethe.config.configurations names them."""
    hooked = {
        f"lethe+llm@{model}": configuration(
            f"Lethe+LLM ({model})", "mutation hook", system="lethe+llm", model=model, hook="llm"
        )
        for model in models
    }
    alone = {"lethe+llm": configuration("Lethe+LLM", "mutation hook", system="lethe+llm", hook="llm")}
    return {"lethe": configuration("Lethe"), **(hooked or alone)}


def record(**models: str) -> Setup:
    known = entries(*models)
    return setup(known, models=models, hook_pairs=[["lethe", name] for name in known if name != "lethe"])


def results(*models: str, **passed: int) -> SuiteResults:
    counts = {"lethe": 1, **{f"lethe+llm@{model}": count for model, count in passed.items()}}
    rows = [score(name, value, count, 4) for name, count in counts.items() for value in (ALL, "compound_fact")]
    return results_of(rows, entries(*models), {} if models else {"lethe+llm": NO_MODEL})


def run(model: str, rate: float, sd: float | None = None, **values: Any) -> dict[str, Any]:
    return {
        "suite": "mine", "system": "lethe+llm", "model": model, "repetitions": 1 if sd is None else 2, "cases": 4,
        "rate": rate, "rate_sd": sd, "errors": 0, "first_error": None, "calls": 9, "fallbacks": 2, "tokens_in": 900,
        "tokens_out": 90, "cost_usd": 1.234, "mutate_ms": 12.3, **values,
    }  # fmt: skip


def test_cross_llm_gives_each_model_and_its_gain() -> None:
    runs = [run("a", 0.75), run("b", 0.5, 0.1)]
    table = cross_llm_table(results("a", "b", a=3, b=2), runs, record(a="Model A", b="Model B"))
    assert list(table.header) == ["Backend", "no LLM", "Model A", "Model B"]
    assert rows_of(table) == [["Lethe", "1 (25)", "75.0", "50.0 ± 10.0"], ["Δ (pt)", "–", "+50", "+25"]]


def test_cross_llm_shows_no_gain_for_a_model_that_never_answered() -> None:
    table = cross_llm_table(results("a", a=0), [run("a", 0.0, errors=4)], record(a="A"))
    assert rows_of(table) == [["Lethe", "1 (25)", "error"], ["Δ (pt)", "–", ""]]


def test_without_a_model_every_table_says_so() -> None:
    bare = results()
    assert rows_of(cross_llm_table(bare, [], record())) == [["Lethe", "1 (25)", NO_MODEL]]
    assert rows_of(llm_cost_table([], record())) == [[NO_MODEL, *[""] * 9]]
    architecture = cross_architecture_table(bare)
    assert [row[0] for row in rows_of(architecture)] == ["not run"]
    assert list(architecture.notes) == [f"Lethe+LLM: {NO_MODEL}."]


def test_cross_architecture_has_the_hooked_configurations_alone() -> None:
    table = cross_architecture_table(results("a", a=3))
    assert table.header[2] == "Compound fact (n=4)"
    assert [row[:3] for row in rows_of(table)] == [["Lethe+LLM (a)", "Mutation hook", "3 (75)"]]


def test_cost_table() -> None:
    table = llm_cost_table([run("a", 0.75, errors=1)], record(a="A"))
    assert rows_of(table) == [
        ["Mine", "Lethe+LLM (a)", "4", "75.0", "9", "900/90", "1.23", "12", "2", "1"],
    ]
