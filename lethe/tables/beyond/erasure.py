"""The tables of the erasure audit: the verdict of each system at each level, and where the traces were found."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lethe import schemas
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.study.erasure import ERROR, NA, SHOWN, WORST_FIRST
from lethe.study.results import reason_lines
from lethe.study.setup import Erasure, Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import Source, record, rows_if
from lethe.tables.table import Cell, Table

_CAPTION = (
    "The erasure audit: what is left of a purged memory, in {cases} with random markers, by the number of "
    "memories in the store. A0 recall and direct question, A1 search by its own text and its neighbours, A2 every "
    "other read of the API, A3 text, tokens and vector in every file, A4 the same after the makers' own compaction, A5 "
    "after a restart, A6 an undo, background work and another's scope; fed again: the same source is told once more. "
    "Of a system's cases, the worst verdict, and how many have it. Measured here."
)
_SQLITE = (
    "Where a system uses the SQLite of Python's standard library, what stays of a deleted row depends on how that was "
    "built (docs/erasure.md)."
)
_SWITCHED_OFF = "not run: left out by run.workloads"

Counts = Mapping[str, int]


def _audited(table: schemas.Table) -> Source:
    return rows_if(table, lambda setup: setup.erasure.stores)


def worst_verdicts(scores: Sequence[Row]) -> dict[tuple[str, int], dict[str, Counts]]:
    """The cases of each verdict by configuration and number of memories, and by level.

    Args:
        scores: rows of `lethe.schemas.ERASURE_SCORES`.
    """
    found: dict[tuple[str, int], dict[str, Counts]] = defaultdict(dict)
    for row in scores:
        levels = found[configuration_name(row), row["rows"]]
        levels[row["level"]] = {**levels.get(row["level"], {}), row["verdict"]: row["cases"]}
    return dict(found)


def worst_of(counts: Counts) -> str:
    """The worst of these verdicts; N/A for none."""
    return min(counts, key=WORST_FIRST.index, default=NA)


def in_words(erasure: Erasure) -> str:
    """How many cases there are."""
    numbers = {cases for stores in erasure.stores.values() for _, cases in stores}
    return f"{'up to ' if len(numbers) > 1 else ''}{erasure.cases} cases"


@table("erasure", inputs=(_audited(schemas.ERASURE_SCORES), record))
def erasure_table(scores: Sequence[Row], setup: Setup) -> Table:
    """Systems by level, a section for each number of memories.

    Args:
        scores: rows of `lethe.schemas.ERASURE_SCORES`.
    """
    found, erasure = worst_verdicts(scores), setup.erasure
    header = ("System", "Memories", *SHOWN)
    sizes = sorted({rows for _, rows in found})
    names = [name for name in setup.configurations if name in erasure.stores]

    def line(name: str, rows: int) -> list[Cell]:
        levels = found[name, rows]
        shown = (_verdict(levels.get(level, {})) for level in SHOWN)
        return [cells.label(setup.configurations[name].label), cells.count(rows), *shown]

    sections = [[line(name, rows) for name in names if (name, rows) in found] for rows in sizes]
    absent = {setup.configurations[name].label: reason for name, reason in erasure.not_run.items()}
    capped = [
        f"{setup.configurations[name].label}: with at most {most} memories, since it takes too long with more."
        for name, most in erasure.capped.items()
    ]
    return Table(
        "erasure",
        _CAPTION.format(cases=in_words(erasure)),
        header,
        sections or [[cells.not_run_row(_SWITCHED_OFF, len(header))]],
        [_SQLITE, *capped, *reason_lines(absent)] if sections else [],
        wide=True,
        long=True,
        section=1,
    )


@table("erasure_traces", inputs=(_audited(schemas.ERASURE_TRACES), record), latex=False)
def erasure_traces_table(traces: Sequence[Row], setup: Setup) -> Table:
    """Where the erased memories were found, in the largest store of each system.

    Args:
        traces: rows of `lethe.schemas.ERASURE_TRACES`.
    """
    header = ("System", "Memories", "Level", "Place", "Where, and in which form", "Cases")
    sections = []
    for name, entry in setup.configurations.items():
        own = [row for row in traces if configuration_name(row) == name and row["trace"]]
        largest = max((row["rows"] for row in own), default=0)
        section = [
            [
                cells.label(entry.label),
                cells.count(largest),
                *cells.labels(row["level"], row["place"]),
                cells.text(row["trace"]),
                cells.count(row["cases"]),
            ]
            for row in own
            if row["rows"] == largest
        ]
        if section:
            sections.append(section)
    nothing = "nothing was found in any file" if setup.erasure.stores else _SWITCHED_OFF
    return Table(
        "erasure_traces",
        "The erasure audit: the files and structures that still held a purged memory, in the largest store of each "
        f"system, with the number of cases, of {in_words(setup.erasure)}. Measured here.",
        header,
        sections or [[cells.not_run_row(nothing, len(header))]],
        wide=True,
        long=True,
    )


def _verdict(counts: Counts) -> Cell:
    worst, total = worst_of(counts), sum(counts.values())
    if not total:
        return cells.DASH
    if worst == NA:
        return Cell(NA, "N/A", count=total)
    shown = Cell(f"{worst} {counts[worst]}/{total}", "measured", counts[worst], total)
    return replace(shown, state="error") if worst == ERROR else shown
