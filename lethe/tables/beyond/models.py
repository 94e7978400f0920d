"""The tables of the configurations that ask a chat model: backends by models, by category, and what a run costs."""

from collections.abc import Sequence
from itertools import groupby

from lethe import schemas
from lethe.parquet import Row
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.beyond.suites import system_rows
from lethe.tables.registry import table
from lethe.tables.sources import each_suite, main, main_results, record
from lethe.tables.table import Cell, Table

NO_MODEL = "not run: no model configured"
_COST = (
    "Suite", "Configuration", "Trials", "Passed (%)", "Calls", "Tokens in/out", "USD", "ms/case", "Fallbacks", "Errors",
)  # fmt: skip


@table("cross_llm", inputs=(main_results, main(schemas.LLM_RUNS), record))
def cross_llm_table(results: SuiteResults, runs: Sequence[Row], setup: Setup) -> Table:
    """Backends by models with the gain over the same backend without a hook (paper, Table "cross_llm").

    Args:
        runs: rows of `lethe.schemas.LLM_RUNS` of the suite.
    """
    by_model = {(run["system"], run["model"]): run for run in runs}
    hooked = [name for name, entry in results.configurations.items() if entry.hook == "llm"]
    systems = dict.fromkeys(results.configurations[name].system for name in hooked)
    # Of several that fit, the first.
    plain = {results.configurations[other].system: name for name, other in reversed(setup.hook_pairs)}

    def section(system: str) -> list[list[Cell]]:
        base = results.score(plain[system])
        shown, gains = (
            [cells.label(results.label_of(plain[system])), cells.passes(base)],
            [cells.label("Δ (pt)"), cells.DASH],
        )
        for model in setup.models:
            run = by_model.get((system, model))
            answered = run is not None and run["errors"] < run["cases"] * run["repetitions"]
            shown.append(_rate(run))
            gains.append(cells.points(run["rate"] - base["rate"]) if run and base and answered else cells.BLANK)
        return [shown, gains] if setup.models else [[*shown, cells.not_run(NO_MODEL)]]

    return Table(
        "cross_llm",
        f"Hooked backends by chat model, {results.label.lower()} suite, measured here: percent of cases passed, "
        "with the standard deviation over repetitions where there are several; Δ is the gain over the backend "
        "without a hook, in percentage points.",
        ("Backend", "no LLM", *(setup.models.values() or ["LLM"])),
        [section(system) for system in systems if system in plain],
        results.notes(hooked),
        wide=True,
    )


@table("cross_architecture", inputs=(main_results,))
def cross_architecture_table(results: SuiteResults) -> Table:
    """The configurations whose hook asks a chat model, by category (paper, Table "cross_arch")."""
    names = [name for name, entry in results.configurations.items() if entry.regime == "mutation hook"]
    return system_rows(
        results,
        names,
        "cross_architecture",
        "category",
        f"Configurations with a mutation-time hook by category, {results.label.lower()} suite, measured here, "
        f"{results.scorer} scorer. Cells: cases passed (percent).",
    )


@table("llm_cost", inputs=(each_suite(schemas.LLM_RUNS), record))
def llm_cost_table(runs: Sequence[Row], setup: Setup) -> Table:
    """Calls, cost, time, fallbacks and errors of each run with a chat model."""

    def row(run: Row) -> list[Cell]:
        configuration = setup.configurations[f"{run['system']}@{run['model']}"]
        return [
            *cells.labels(setup.suites[run["suite"]].label, configuration.label),
            cells.count(run["cases"] * run["repetitions"]),
            _rate(run),
            cells.count(run["calls"]),
            cells.two_counts(run["tokens_in"], run["tokens_out"]),
            cells.number(run["cost_usd"], 2),
            cells.number(run["mutate_ms"], 0),
            cells.count(run["fallbacks"]),
            cells.count(run["errors"]),
        ]

    return Table(
        "llm_cost",
        "Runs with a chat model, measured here. Calls and tokens include cached answers; USD is what the answers cost "
        "when they were made; ms/case is the median time of a case's mutations; a fallback is a decision for which "
        "the model gave no usable answer; an error is a trial for which it never answered.",
        _COST,
        [[row(run) for run in together] for _, together in groupby(runs, key=lambda run: run["suite"])]
        or [[cells.not_run_row(reason_no_run(setup), len(_COST))]],
        wide=True,
        section=0 if runs else None,
    )


def reason_no_run(setup: Setup) -> str:
    """Why no configuration with a chat model ran, where none did."""
    return "not run: no configuration with a chat model" if setup.models else NO_MODEL


def _rate(run: Row | None) -> Cell:
    if run is None:
        return cells.NOT_RUN
    if run["errors"] == run["cases"] * run["repetitions"]:
        return Cell("error", "error")
    return cells.with_spread(run["rate"], run["rate_sd"])
