"""The tables of the long histories: what comes back by k, by age, by number of mutations and by store size."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lethe import schemas
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.joining import SAID
from lethe.study.long import AGES, BROKEN, JOINED, MUTATIONS, SIZES
from lethe.study.results import reason_lines
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.best import with_best
from lethe.tables.registry import table
from lethe.tables.sources import record, rows_if
from lethe.tables.table import Cell, Table

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


_AT_ONE_K = {"Stale": "answered_stale", "Collateral": "collateral", "Came back": "came_back", "Past told": "past"}
_scores = rows_if(schemas.LONG_SCORES, lambda setup: setup.long.configurations)
_PARTS = {
    "age": ("Mutations since it went", AGES),
    "mutations": ("Mutations before", MUTATIONS),
    "stored": ("Memories before", SIZES),
}
"""The cuts of the questions, each with its head and its parts."""
_BY_PART = {"Recall": "recall", "Leak": "answered_leak", "Stale": "answered_stale", "Collateral": "collateral"}


@table("long", inputs=(_scores, record))
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
        f"question about them brings back, which is not a fault. {_RATES}",
        rows,
        setup,
        columns,
    )


@table("long_by_part", inputs=(_scores, record), latex=False)
def part_table(rows: Sequence[Row], setup: Setup) -> Table:
    """Rates by age of what was taken away, by number of mutations and by number of memories: a section for each part.

    Args:
        rows: rows of `lethe.schemas.LONG_SCORES`.
    """
    k = setup.long.shown_k
    parts = [
        (
            title,
            value,
            _table(
                "long_by_part",
                f"ForgetEval-Long at k = {k}, by the number of mutations since a memory was taken away, by the number "
                "of mutations before the question, and by the number of memories told before it: recall, leak and "
                f"stale rate of the question's answer, and collateral. {_RATES}",
                rows,
                setup,
                [_Column(rate, measure, k, cut, value, "Rate (%)") for rate, measure in _BY_PART.items()],
            ),
        )
        for cut, (title, values) in _PARTS.items()
        for _, value in values
    ]
    whole = parts[0][2]
    return replace(
        whole,
        header=("By", "Part", *whole.header),
        groups=("", "", *whole.groups),
        sections=[
            [[*cells.labels(title, value), *row] for row in shown.rows()]
            for title, value, shown in (parts if rows else parts[:1])
        ],
    )


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
        [*reason_lines(absent), *_odd(rows, setup)] if names else [],
        wide=True,
        long=True,
        groups=("", *(column.group for column in columns)),
    )
    if not names:
        return table
    shown = [*(one for one in names if one not in controls), *controls]
    odd = {key[0] for key in rates if key[-1] in (BROKEN, JOINED)}
    competing = [each not in (*controls, *odd, *setup.caveats) for each in shown]
    better = [place for place, column in enumerate(columns, start=1) if column.measure == "recall"]
    worse = [place for place, column in enumerate(columns, start=1) if column.measure not in ("recall", "past")]
    return with_best(table, competing, highest=better, lowest=worse)


_ODD = {
    BROKEN: "broke (error); they count against recall, collateral and past told, and in no other rate",
    JOINED: f"were answered with texts that {SAID} and it does not compete",
}


def _odd(rows: Sequence[Row], setup: Setup) -> Iterator[str]:
    """The notes on configurations of which some questions broke, or were answered with several memories in one text."""
    counts = Counter[tuple[str, str, str]]()
    for row in rows:
        if row["cut"] == "overall" and row["measure"] in _ODD:
            of = configuration_name(row), row["measure"]
            counts[*of, "so"] += row["counted"]
            counts[*of, "all"] += row["facts"]
    for name, entry in setup.configurations.items():
        for measure, said in _ODD.items():
            if number := counts[name, measure, "so"]:
                yield f"{entry.label}: {number} of {counts[name, measure, 'all']} questions {said}."


def _rate(rates: _Rates, name: str, column: _Column) -> Cell:
    row = rates.get((name, column.k, column.cut, column.value, column.measure))
    return cells.DASH if row is None else cells.share(row["rate"], row["low"], row["high"], row["facts"])
