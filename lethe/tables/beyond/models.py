"""The tables of the configurations that ask a chat model: backends by models, by category, and what a run costs."""

from collections.abc import Sequence
from itertools import groupby

from lethe import schemas
from lethe.parquet import Row
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import each_suite, record
from lethe.tables.table import Cell, Table

NO_MODEL = "not run: no model configured"
_COST = (
    "Suite", "Configuration", "Trials", "Passed (%)", "Calls", "Tokens in/out", "USD", "ms/case", "Fallbacks", "Errors",
)  # fmt: skip


@table("llm_cost", inputs=(each_suite(schemas.LLM_RUNS), record), latex=False)
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
        "when they were made, where an answer that came without its tokens, and an attempt that broke off, counts as "
        "the most that it may cost; ms/case is the median time of a case's mutations; a fallback is a decision for "
        "which the model gave no usable answer; an error is a trial for which it never answered.",
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
