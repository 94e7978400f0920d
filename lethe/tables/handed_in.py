"""The table of what others handed in, which is in no table of what was measured here."""

from collections.abc import Sequence

from lethe.analysis.handed_in import HandedIn
from lethe.analysis.setup import Setup
from lethe.parquet import Row
from lethe.tables import cells
from lethe.tables.table import Cell, Table


def handed_in_table(scores: Sequence[Row], setup: Setup) -> Table:
    """What ran elsewhere, by suite, with what was done here to check it."""
    by_key = {(row["by"], row["system"], row["model"], row["suite"]): row for row in scores}

    def row(handed: HandedIn, suite: str) -> list[Cell]:
        score = by_key[handed.by, handed.system, handed.model, suite]
        return [
            cells.label(f"{handed.label} (handed in by {handed.by})"),
            cells.label(setup.suites[suite].label),
            *map(cells.handed_in, _numbers(score)),
            cells.fraction(handed.same, handed.rerun) if handed.rerun else cells.not_run("not run here"),
        ]

    return Table(
        "handed_in",
        f"Handed in by others, {setup.scorer} scorer. None of these trials was run here: each verdict was computed "
        "again from the texts that are said to have been recalled. Last column: trials that came to the same verdict "
        "when run again here, of those that were. N/A and errors count against a system.",
        ("System", "Suite", "Pass (%)", "Wilson 95 %", "N/A", "Errors", "Run again"),
        [[row(handed, suite) for handed in setup.handed_in for suite in handed.suites]],
        _notes(setup),
    )


def _numbers(score: Row) -> list[Cell]:
    return [
        cells.passes_of(score["passed"], score["cases"]),
        cells.interval(100 * score["wilson_low"], 100 * score["wilson_high"], 1),
        cells.count(score["na"]),
        cells.count(score["errors"]),
    ]


def _notes(setup: Setup) -> list[str]:
    if not setup.handed_in:
        return ["Nothing has been handed in (`lethe submit`, `lethe admit`; docs/handing-in.md)."]
    named = {f"{handed.label} (handed in by {handed.by})": handed for handed in setup.handed_in}
    own = [
        f"{name}: no system of this project; judged by its trials alone." for name, h in named.items() if h.own_adapter
    ]
    return own + [
        f"{name}: {suite}: not shown: {reason}."
        for name, handed in named.items()
        for suite, reason in handed.not_shown.items()
    ]
