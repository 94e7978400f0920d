"""A table as typed cells, and its JSON; LaTeX, CSV and HTML are rendered from it alone."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.json_records import parse_json

State = Literal["label", "measured", "handed in", "published", "not run", "N/A", "error", "blank"]
Kind = Literal["label", "number", "text", "id"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Attributes:
        text: what is printed.
        state: what the text is: a name, a number measured here, handed in or printed in the paper, or why there is no
            number.
        value: the number that the text gives first; null where it gives none.
        count: what the value is out of, or the number of cases behind it.
        low, high: ends of the 95 % interval, of the value; of value / count where the value is a part of the count.
        note: what a reader should know of this cell alone.
        bold: the best of its column, or row.
        name: the machine name that `text` puts in words; empty where the text is all there is.
    """

    text: str
    state: State = "label"
    value: float | None = None
    count: int | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""
    bold: bool = False
    name: str = ""


_CELL = tuple(field.name for field in fields(Cell))
AROUND = ("name", "caption", "header", "notes", "wide", "long", "compact", "groups", "kinds", "section")
"""The fields of a table besides its sections."""
_OPTIONAL = ("compact", "groups", "kinds", "section")
_LONGEST_WORD = 24
"""A finding in words longer than this is running text."""
Rows = Sequence[Sequence[Cell]]


def numbers(columns: int) -> list[Kind]:
    """The kinds of so many columns of numbers."""
    return ["number"] * columns


@dataclass(frozen=True, slots=True)
class Table:
    """One table: a header, sections of rows (a rule is drawn between two sections), and the text around them.

    Attributes:
        wide: spans both columns of a two-column page.
        long: may be longer than a page.
        compact: set small, as journals do, with columns as wide as their text.
        groups: what stands over each column, in a line above the heads; empty text for nothing. Neighbours under one
            text share it, and a head then need not repeat it: "Lethe, held-out" under "Lethe" is "held-out".
        kinds: of each column: a name, numbers, running text, or identifiers and quotations as they are. Without any,
            columns of names alone are such, and the others numbers.
        section: a column whose cell is the same in all rows of a section; where there is room for few columns it is
            printed once, over them.
    """

    name: str
    caption: str
    header: Sequence[str]
    sections: Sequence[Rows]
    notes: Sequence[str] = ()
    wide: bool = False
    long: bool = False
    compact: bool = False
    groups: Sequence[str] = ()
    kinds: Sequence[Kind] = ()
    section: int | None = None

    def kind(self, column: int) -> Kind:
        """What a column holds."""
        if self.kinds:
            return self.kinds[column]
        states = {row[column].state for row in self.rows()} - {"blank"}
        if column == 0 or states == {"label"}:
            return "label"
        said = (row[column] for row in self.rows() if row[column].state == "measured" and row[column].value is None)
        return "text" if any(len(cell.text) > _LONGEST_WORD and cell.low is None for cell in said) else "number"

    def head(self, column: int) -> str:
        """The head of a column without what its group says."""
        return self.header[column].removeprefix(f"{self.groups[column]}, ") if self.groups else self.header[column]

    def title(self, rows: Rows) -> str:
        """What a section is of; empty where no column says it."""
        return rows[0][self.section].text if rows and self.section is not None else ""

    def rows(self) -> Iterator[Sequence[Cell]]:
        """The rows of all sections."""
        return (row for section in self.sections for row in section)

    def to_json(self) -> str:
        """The table as JSON, one row on each line; fields of a cell that say nothing are left out."""
        cells = [[[_cell_fields(cell) for cell in row] for row in section] for section in self.sections]
        lines = ("[\n" + ",\n".join(map(_dump, section)) + "\n]" for section in cells)
        said = {name: getattr(self, name) for name in AROUND}
        # Zero equals False and is a column.
        rest = {
            name: value
            for name, value in said.items()
            if name not in _OPTIONAL or not (value is None or value is False or value == ())
        }
        return f'{_dump(rest)[:-1]}, "sections": [{", ".join(lines)}]}}\n'

    @classmethod
    def from_json(cls, text: str) -> "Table":
        """The reverse of `to_json`.

        Raises:
            ValueError: where the text holds no such table.
        """
        try:
            data = parse_json(text)
            sections = [[[_cell(cell) for cell in row] for row in section] for section in data.pop("sections")]
            return cls(sections=sections, **data)
        except (AttributeError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"no table ({error})") from error


def read_table(path: Path) -> Table:
    """Read a file that holds what `Table.to_json` gives.

    Raises:
        UserError: where it is missing, cut off or damaged.
    """
    try:
        return Table.from_json(read_file(path).decode("utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read as a table ({error}); remove it and run the workflow again") from error


def _dump(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def _cell_fields(cell: Cell) -> dict[str, Any]:
    # Zero equals False and is a value.
    said = ((name, getattr(cell, name)) for name in _CELL)
    return {
        name: value
        for name, value in said
        if name in ("text", "state") or not (value is None or value is False or value == "")
    }


def _cell(said: Mapping[str, Any]) -> Cell:
    if said["state"] not in get_args(State):
        raise ValueError(f"no state of a cell: {said['state']!r}")
    return Cell(**said)
