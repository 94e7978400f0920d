"""The tables about chat models: which cell says what, with and without a model."""

from typing import Any

from lethe.config.configurations import Configuration
from lethe.schemas import ALL
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup
from lethe.tables.beyond.models import NO_MODEL, llm_cost_table
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


def test_without_a_model_every_table_says_so() -> None:
    assert rows_of(llm_cost_table([], record())) == [[NO_MODEL, *[""] * 9]]


def test_cost_table() -> None:
    table = llm_cost_table([run("a", 0.75, errors=1)], record(a="A"))
    assert rows_of(table) == [
        ["Mine", "Lethe+LLM (a)", "4", "75.0", "9", "900/90", "1.23", "12", "2", "1"],
    ]
