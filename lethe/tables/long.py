"""The tables of the long histories: what comes back by k, by age, by number of mutations and by store size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.long import AGES, MUTATIONS, SIZES
from lethe.study.results import reason_lines
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.best import with_best
from lethe.tables.table import Cell, Table
from lethe.tables.words import words

_RATES = (
    "In percent, with 95 % Wilson intervals over memories in clusters (those of a history). Measured here on "
    "{histories} generated histories."
)
_Rates = Mapping[tuple[str, int, str, str, str], Row]


@dataclass(frozen=True, slots=True)
class _Column:
    """One rate: its head, the measure, k, and the part of the questions."""

    title: str
    measure: str
    k: int
    cut: str = "overall"
    value: str = ALL
    group: str = ""


@dataclass(frozen=True, slots=True)
class _Parts:
    """A table by part of the questions: its cut with the parts, and the rates by their heads."""

    caption: str
    cut: str
    values: Sequence[tuple[int, str]]
    measures: Mapping[str, str]


_AT_ONE_K = {"Stale": "answered_stale", "Collateral": "collateral", "Came back": "came_back", "Past told": "past"}
_TAKEN = {"leak": "answered_leak", "stale": "answered_stale"}
PART_TABLES = {
    "long_by_age": _Parts(
        "by the number of mutations since a memory was taken away: leak and stale rate of the question's answer.",
        "age",
        AGES,
        _TAKEN,
    ),
    "long_by_mutations": _Parts(
        "by the number of mutations before the question: leak and stale rate of its answer, and collateral.",
        "mutations",
        MUTATIONS,
        {**_TAKEN, "collateral": "collateral"},
    ),
    "long_by_size": _Parts(
        "by the number of memories told before the question: recall, leak and stale rate of its answer.",
        "stored",
        SIZES,
        {"recall": "recall", **_TAKEN},
    ),
}


def long_table(rows: Sequence[Row], setup: Setup) -> Table:
    """What each configuration recalls, leaks and loses in the long histories.

    Args:
        rows: rows of `lethe.schemas.LONG_SCORES`.
    """
    shown = setup.long.shown_k
    columns = [
        *(_Column(f"@{k}", "recall", k, group="Recall (%)") for k in setup.long.ks),
        *(_Column(f"@{k}", "answered_leak", k, group="Leak (%)") for k in setup.long.ks),
        _Column("own text", "leak", shown, group="Leak (%)"),
        *(_Column(title, measure, shown, group=f"At k = {shown} (%)") for title, measure in _AT_ONE_K.items()),
    ]
    return _table(
        "long",
        "ForgetEval-Long. Recall: of what holds, what the question brings back; leak: of what was released or purged, "
        "what the question brings back, or its own text asks back; stale: of what was replaced, what the question "
        f"brings back; collateral: of what holds, what even its own text does not (the last five at k = {shown}). Came "
        "back: of what had gone when its source was read again, what is there; past told: earlier values that a "
        f"question about them brings back, which is no fault. {_RATES}",
        rows,
        setup,
        columns,
    )


def part_table(rows: Sequence[Row], setup: Setup, *, name: str) -> Table:
    """Rates by part of the questions: one of `PART_TABLES`."""
    part, k = PART_TABLES[name], setup.long.shown_k
    columns = [
        _Column(value, measure, k, part.cut, value, f"{words(title)} (%)")
        for title, measure in part.measures.items()
        for _, value in part.values
    ]
    return _table(name, f"ForgetEval-Long {part.caption} k = {k}. {_RATES}", rows, setup, columns)


def _table(name: str, caption: str, rows: Sequence[Row], setup: Setup, columns: Sequence[_Column]) -> Table:
    rates = {(configuration_name(row), row["k"], row["cut"], row["value"], row["measure"]): row for row in rows}
    ran = {key[0] for key in rates}
    header = ("System", *(f"{column.group}, {column.title}" for column in columns))
    names = [each for each in setup.configurations if each in ran]
    controls = [each for each in names if setup.configurations[each].regime == "control"]

    def line(configuration: str) -> list[Cell]:
        label = cells.label(setup.configurations[configuration].label)
        return [label, *(_rate(rates, configuration, column) for column in columns)]

    sections = [[line(each) for each in names if each not in controls], [line(each) for each in controls]]
    absent = {setup.configurations[each].label: reason for each, reason in setup.long.not_run.items()}
    table = Table(
        name,
        caption.format(histories=setup.long.histories),
        header,
        sections if names else [[cells.not_run_row("not run: left out by run.workloads", len(header))]],
        reason_lines(absent) if names else [],
        wide=True,
        long=True,
        groups=("", *(column.group for column in columns)),
    )
    if not names:
        return table
    shown = [*(one for one in names if one not in controls), *controls]
    competing = [each not in controls and each not in setup.caveats for each in shown]
    better = [place for place, column in enumerate(columns, start=1) if column.measure == "recall"]
    worse = [place for place, column in enumerate(columns, start=1) if column.measure not in ("recall", "past")]
    return with_best(table, competing, highest=better, lowest=worse)


def _rate(rates: _Rates, name: str, column: _Column) -> Cell:
    row = rates.get((name, column.k, column.cut, column.value, column.measure))
    return cells.DASH if row is None else cells.share(row["rate"], row["low"], row["high"], row["facts"])
