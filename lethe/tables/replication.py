"""The replication report: LaTeX, CSV and a page that needs nothing but itself."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from lethe.analysis.replication.compare import VERDICTS
from lethe.files import write_text
from lethe.tables.cells import PaperTable

Row = Mapping[str, Any]
Piece = TypeVar("Piece")

_HEADER = ("Row", "Column", "published", "measured", "measured row", "suite", "Δ", "95 %", "verdict", "note")
_ROWS_A_PAGE = 50
_FLOATS_BETWEEN_PAGES = 6
"""LaTeX holds back only so many floats; the pages are put out before there are too many."""
DATA_FILES = ("replication.html.jinja",)
_TEMPLATE = Path(__file__).with_name(DATA_FILES[0])
_HOW = (
    "The suites here are of our own making, so a number published on the paper's cases stands beside one of other "
    "cases (other suite) unless it says same data. Δ is measured minus published: percentage points for shares and "
    "differences, else the unit itself. On another suite a share is reproduced where the 95 % interval of the "
    "difference (Newcombe) holds 0; on the same data where it is equal to the printed digit; any other number where it "
    "lies in the measured interval, or, without one, is equal to the printed digit."
)


def write_replication(rows: Sequence[Row], latex: Path, csv_file: Path, page: Path) -> None:
    """Write the three forms.

    Args:
        rows: rows of `lethe.schemas.REPLICATION`.
    """
    write_text(latex, to_latex(rows))
    write_text(csv_file, csv_table(rows).to_csv())
    write_text(page, to_html(rows))


def summary_table(rows: Sequence[Row]) -> PaperTable:
    """How many numbers of each table are reproduced, differ, and were not run."""

    def line(label: str, own: Sequence[Row]) -> list[str]:
        verdicts = Counter(row["verdict"] for row in own)
        same = sum(row["same_data"] is True for row in own)
        return [label, *(str(verdicts[verdict]) for verdict in VERDICTS), str(same)]

    return PaperTable(
        "replication",
        f"Published numbers beside those measured here, by table of config/published.csv. {_HOW}",
        ("Table", *VERDICTS, "on the same data"),
        [[line(name, own) for name, own in _by_table(rows).items()], [line("all", rows)]],
    )


def csv_table(rows: Iterable[Row]) -> PaperTable:
    """Every number in one table."""
    return PaperTable("replication", _HOW, ("Table", *_HEADER), [[[row["table"], *cells(row)] for row in rows]])


def to_latex(rows: Sequence[Row]) -> str:
    """The summary, then each table of the paper, on as many pages as it takes."""
    tables = [summary_table(rows)]
    for name, own in _by_table(rows).items():
        for part, some in enumerate(_pieces(own, _ROWS_A_PAGE), start=1):
            caption = f"Replication: {name}" + (f", continued ({part})" if part > 1 else "") + "."
            label = f"replication_{name}_{part}"
            tables.append(PaperTable(label, caption, _HEADER, [[cells(row) for row in some]], wide=True))
    pages = ("".join(table.to_latex() for table in some) for some in _pieces(tables, _FLOATS_BETWEEN_PAGES))
    return "\\clearpage\n".join(pages) + "\\clearpage\n"


def to_html(rows: Sequence[Row]) -> str:
    """A page with its style and its few lines of script inside: a table for each table of the paper, and filters."""
    # Only the report needs it.
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    tables = {
        name: [{"cells": cells(row), "verdict": row["verdict"], "data": data(row)} for row in own]
        for name, own in _by_table(rows).items()
    }
    return template.render(how=_HOW, header=_HEADER, tables=tables, summary=summary_table(rows), verdicts=VERDICTS)


def cells(row: Row) -> list[str]:
    """One number as the cells of a table."""
    return [
        row["row"],
        row["column"],
        _published(row),
        _measured(row),
        row["measured_row"],
        f"{row['source']} ({data(row)})" if row["source"] else "",
        _signed(row["difference"], row["unit"]),
        _interval(row),
        row["verdict"],
        row["note"],
    ]


def data(row: Row) -> str:
    """Whether both numbers are of the same questions."""
    return {True: "same data", False: "other suite", None: ""}[row["same_data"]]


def _published(row: Row) -> str:
    if row["unit"] == "cases":
        return f"{row['printed']}/{row['published_n']} ({100 * row['published'] / row['published_n']:.1f} %)"
    return f"{row['printed']}{_unit(row['unit'])}"


def _measured(row: Row) -> str:
    if row["measured"] is None:
        return ""
    if row["unit"] in ("cases", "percent") and row["measured_n"]:
        share = f"{100 * row['measured'] / row['measured_n']:.1f} %"
        return f"{row['measured']:.0f}/{row['measured_n']} ({share})"
    return f"{row['measured']:.4g}{_unit(row['unit'])}"


def _unit(unit: str) -> str:
    return {"percent": " %", "points": " pt", "usd": " USD", "ms": " ms", "s": " s", "min": " min"}.get(unit, "")


def _interval(row: Row) -> str:
    if row["low"] is None or row["high"] is None:
        return ""
    return f"[{_signed(row['low'], row['unit'])}, {_signed(row['high'], row['unit'])}]"


def _signed(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    text = f"{value:+.1f}" if unit in ("cases", "percent", "points") else f"{value:+.3g}"
    return text.replace("-", "−")


def _pieces(whole: Sequence[Piece], size: int) -> list[Sequence[Piece]]:
    return [whole[start : start + size] for start in range(0, len(whole), size)]


def _by_table(rows: Iterable[Row]) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {}
    for row in rows:
        tables.setdefault(row["table"], []).append(row)
    return tables
