"""The table of what others handed in, which is in no table of what was measured here."""

from collections.abc import Iterator, Sequence

from lethe.parquet import Row
from lethe.study import inputs
from lethe.study.handed_in import HandedIn
from lethe.study.results import run_again
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import record
from lethe.tables.table import Cell, Kind, Table, numbers

_HEADER = ("System", "Handed in by", "Suite", "Passed (%)", "95 % interval (%)", "N/A", "Errors", "Same, run again")
_KINDS: tuple[Kind, ...] = ("label", "id", "label", *numbers(5))


@table("handed_in", inputs=(inputs.handed_in, record))
def handed_in_table(scores: Sequence[Row], setup: Setup) -> Table:
    """What ran elsewhere, a section for each suite, with what was done here to check it.

    Args:
        scores: rows of `lethe.schemas.HANDED_IN`.
    """
    by_key = {(row["by"], row["system"], row["model"], row["suite"]): row for row in scores}

    def line(handed: HandedIn, suite: str) -> list[Cell]:
        return [
            *cells.labels(handed.label, handed.by, setup.suites[suite].label),
            *map(cells.handed_in, _numbers(by_key[handed.by, handed.system, handed.model, suite])),
            cells.fraction(handed.same, handed.rerun) if handed.rerun else cells.NOT_RUN,
        ]

    shown = [[line(handed, suite) for handed in setup.handed_in if suite in handed.suites] for suite in setup.suites]
    nothing = cells.not_run_row("nothing has been handed in (docs/handing-in.md)", len(_HEADER))
    return Table(
        "handed_in",
        f"Handed in by others, {setup.scorer} scorer, with 95 % Wilson intervals. None of these trials was run here: "
        "each verdict was computed again from the texts that are said to have been recalled. Last column: trials, of "
        "all suites, that came to the same verdict when run again here, of those that were. N/A and errors count "
        "against a system.",
        _HEADER,
        list(filter(None, shown)) or [[nothing]],
        list(_notes(setup)),
        long=True,
        kinds=_KINDS,
        section=_HEADER.index("Suite"),
    )


def _numbers(score: Row) -> list[Cell]:
    return [
        cells.passes_of(score["passed"], score["cases"]),
        cells.ends_of(score),
        cells.count(score["na"]),
        cells.count(score["errors"]),
    ]


def _notes(setup: Setup) -> Iterator[str]:
    for handed in setup.handed_in:
        name = f"{handed.label}, handed in by {handed.by}"
        if handed.own_adapter:
            yield f"{name}: no system of this project; judged by its trials alone."
        for suite, reason in handed.not_shown.items():
            yield f"{name}, on {suite}: not shown: {reason}."
    yield from run_again({f"{one.label}, handed in by {one.by}": one.repetitions for one in setup.handed_in})
