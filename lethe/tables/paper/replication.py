"""What stands for each number that the paper printed, and whether it comes out."""

from collections.abc import Iterable, Sequence

from lethe import schemas
from lethe.parquet import Row
from lethe.study.replication.compare import DIFFERS, RECOUNTED, STATES, UNANSWERED, VERDICTS, verdict_counts
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import rows
from lethe.tables.table import Cell, Kind, Table
from lethe.tables.words import words

_HOW = (
    "Measured: here, on the paper's cases. Counted in the cases: in them, where no system runs. Recounted: from the "
    "verdicts, or totals, that its authors released of the printed run. Other cases: measured here, on others of the "
    "same kind. Printed: neither can be had. A number of the same cases is equal to the printed digit or differs; it "
    "is reproduced case by case where every released verdict agrees too, N/A with N/A. A cell that is printed N/A is "
    "equal where all its cases are N/A. On other cases a number is within the 95 % interval of the difference "
    "(Newcombe) or differs."
)
_UNITS = {"percent": " %", "points": " pt", "usd": " USD", "ms": " ms", "s": " s", "min": " min"}
_ONE_DECIMAL = ("cases", "percent", "points")
_PLACES_HEADER = (
    *("Table", "Row", "Column", "published", "from", "measured", "recounted", "configuration", "suite or run"),
    *("passed only there/here", "p", "Δ", "95 %", "verdict", "note"),
)
_PLACES_KINDS: Sequence[Kind] = (
    *("label", "label", "label", "number", "label", "number", "number", "text", "text"),
    *("number", "number", "number", "number", "text", "text"),
)


@table("replication_summary", inputs=(rows(schemas.REPLICATION),))
def replication_summary_table(rows: Sequence[Row]) -> Table:
    """How many printed places have an answer, from where, and how many come out.

    Args:
        rows: rows of `lethe.schemas.REPLICATION`.
    """

    def line(title: str, own: Sequence[Row]) -> list[Cell]:
        once = [row for row in own if not row["restates"]]
        states = (sum(row["state"] == state for row in once) for state in STATES)
        return [
            cells.label(title),
            cells.count(len(own)),
            cells.count(len(own) - len(once)),
            *map(cells.count, states),
            *map(cells.count, verdict_counts(once)[:-1]),
        ]

    return Table(
        "replication_summary",
        "The paper's printed places: where the number comes from that stands for each, and whether it comes out. A "
        f"place that repeats another's number is counted with that one alone. {_HOW}",
        ("Table", "Places", "Repeats", *STATES, *VERDICTS[:-1]),
        [[line("All", rows)], [line(words(name), own) for name, own in _by_table(rows).items()]],
        groups=("", "", "", *["From"] * len(STATES), *["Comes out"] * (len(VERDICTS) - 1)),
    )


@table("replication", inputs=(rows(schemas.REPLICATION),))
def replication_table(rows: Iterable[Row]) -> Table:
    """The printed numbers that what stands for them differs from.

    Args:
        rows: rows of `lethe.schemas.REPLICATION`.
    """
    differing = [row for row in rows if row["verdict"] == DIFFERS and not row["restates"]]
    header = ("Table", "Row", "Column", "printed", "here", "from", "p", "cause, or what is known")
    lines = {
        name: [
            [
                *map(cells.named, (row["table"], row["row"], row["column"])),
                _published(row),
                _standing(row),
                cells.label(row["state"]),
                cells.BLANK if row["p"] is None else cells.p_value(row["p"]),
                cells.label(row["note"]),
            ]
            for row in own
        ]
        for name, own in _by_table(differing).items()
    }
    return Table(
        "replication",
        f"Printed numbers that differ from what stands for them. p: exact McNemar test, on the same cases. {_HOW}",
        header,
        list(lines.values()) or [[]],
        wide=True,
        long=True,
        kinds=("label", "label", "label", "number", "number", "label", "number", "text"),
        section=0,
    )


@table("replication_places", inputs=(rows(schemas.REPLICATION),), latex=False)
def replication_places_table(rows: Iterable[Row]) -> Table:
    """Every printed number with what stands for it, a section for each table of the paper.

    Args:
        rows: rows of `lethe.schemas.REPLICATION`.
    """
    return Table(
        "replication_places",
        f"Every printed number with what stands for it. {_HOW}",
        _PLACES_HEADER,
        [[_cells(row) for row in own] for own in _by_table(rows).values()] or [[]],
        wide=True,
        long=True,
        kinds=_PLACES_KINDS,
        section=0,
    )


def _cells(row: Row) -> list[Cell]:
    digits = 1 if row["unit"] in _ONE_DECIMAL else None
    others = cells.BLANK if row["compared"] is None else cells.two_counts(row["only_published"], row["only_here"])
    return [
        *map(cells.named, (row["table"], row["row"], row["column"])),
        _published(row),
        cells.label(row["state"]),
        _number(row, "measured"),
        _number(row, "recounted"),
        *cells.labels(row["configuration"], row["source"] or row["recounted_run"]),
        others,
        cells.BLANK if row["p"] is None else cells.p_value(row["p"]),
        cells.signed(row["difference"], digits),
        cells.signed_interval(row["low"], row["high"], digits),
        Cell(row["verdict"], "not run") if row["verdict"] == UNANSWERED else cells.text(row["verdict"]),
        cells.label(row["note"]),
    ]


def _published(row: Row) -> Cell:
    if row["unit"] == "na":
        return cells.published_text(row["printed"])
    if row["unit"] == "cases":
        return cells.published_of(row["printed"], row["published"], row["published_n"])
    return cells.published_text(f"{row['printed']}{_UNITS.get(row['unit'], '')}", row["published"], row["published_n"])


def _standing(row: Row) -> Cell:
    return _number(row, "recounted" if row["state"] == RECOUNTED else "measured")


def _number(row: Row, name: str) -> Cell:
    value, n = row[name], row[f"{name}_n"]
    if value is None:
        return cells.BLANK
    if row["unit"] in ("cases", "na") and n:
        return cells.share_of(value, n)
    if row["unit"] == "na":
        return Cell(row["printed"], "N/A")
    return cells.significant(value, _UNITS.get(row["unit"], ""))


def _by_table(rows: Iterable[Row]) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {}
    for row in rows:
        tables.setdefault(row["table"], []).append(row)
    return tables
