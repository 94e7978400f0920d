"""The tables of the published numbers beside the measured ones: each number, and how many come out."""

from collections.abc import Iterable, Sequence

from lethe.analysis.replication.compare import VERDICTS, verdict_counts
from lethe.parquet import Row
from lethe.tables import cells
from lethe.tables.table import Cell, Table

HEADER = ("Table", "Row", "Column", "published", "measured", "measured row", "suite", "Δ", "95 %", "verdict", "note")
SAME_DATA = "same data"
_HOW = (
    "The suites here are of our own making, so a number published on the paper's cases stands beside one of other "
    "cases (other suite) unless it says same data. Δ is measured minus published: percentage points for shares and "
    "differences, else the unit itself. On another suite a share is reproduced where the 95 % interval of the "
    "difference (Newcombe) holds 0; on the same data where it is equal to the printed digit; any other number where it "
    "lies in the measured interval, or, without one, is equal to the printed digit."
)
_UNITS = {"percent": " %", "points": " pt", "usd": " USD", "ms": " ms", "s": " s", "min": " min"}
_ONE_DECIMAL = ("cases", "percent", "points")


def replication_table(rows: Iterable[Row]) -> Table:
    """Every published number with the measured one, a section for each table of the paper.

    Args:
        rows: rows of `lethe.schemas.REPLICATION`.
    """
    sections = [[_cells(row) for row in own] for own in _by_table(rows).values()]
    return Table("replication", _HOW, HEADER, sections or [[]], wide=True, long=True)


def replication_summary_table(rows: Sequence[Row]) -> Table:
    """How many numbers of each table are reproduced, differ, and were not run."""

    def line(title: str, own: Sequence[Row]) -> list[Cell]:
        return [cells.label(title), *map(cells.count, verdict_counts(own))]

    return Table(
        "replication_summary",
        f"Published numbers beside those measured here, by table of config/published.csv. {_HOW}",
        ("Table", *VERDICTS, "on the same data"),
        [[line(name, own) for name, own in _by_table(rows).items()], [line("all", rows)]],
    )


def _cells(row: Row) -> list[Cell]:
    unit = row["unit"]
    digits = 1 if unit in _ONE_DECIMAL else None
    data = {True: SAME_DATA, False: "other suite", None: ""}[row["same_data"]]
    return [
        *cells.labels(row["table"], row["row"], row["column"]),
        _published(row),
        _measured(row),
        cells.label(row["measured_row"]),
        cells.label(f"{row['source']} ({data})" if row["source"] else ""),
        cells.signed(row["difference"], digits),
        cells.signed_interval(row["low"], row["high"], digits),
        Cell(row["verdict"], "not run") if row["measured"] is None else cells.text(row["verdict"]),
        cells.label(row["note"]),
    ]


def _published(row: Row) -> Cell:
    if row["unit"] == "cases":
        return cells.published_of(row["printed"], row["published"], row["published_n"])
    return cells.published_text(f"{row['printed']}{_UNITS.get(row['unit'], '')}", row["published"], row["published_n"])


def _measured(row: Row) -> Cell:
    if row["measured"] is None:
        return cells.BLANK
    if row["unit"] in ("cases", "percent") and row["measured_n"]:
        return cells.share_of(row["measured"], row["measured_n"])
    return cells.significant(row["measured"], _UNITS.get(row["unit"], ""))


def _by_table(rows: Iterable[Row]) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {}
    for row in rows:
        tables.setdefault(row["table"], []).append(row)
    return tables
