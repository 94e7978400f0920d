"""A table read by the names of its columns; what a finding needs and does not get is one line of error."""

import re
from collections.abc import Iterator, Sequence

from forgeteval.errors import UserError
from lethe.tables.table import Cell, Table

Line = Sequence[Cell]


class Sheet:
    """A table whose columns are found by the last part of their heads: `leak` finds "Leak" and "Facts, Leak (%)"."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._places = {_plain(head): place for place, head in reversed(list(enumerate(table.header)))}

    @property
    def absent(self) -> str:
        """Why the table holds no number; empty where it does."""
        first = next(self.table.rows(), [Cell("not run: no rows", "not run")])[0]
        return first.text if first.state == "not run" else ""

    def cell(self, line: Line, head: str) -> Cell:
        """The cell of a row below a head.

        Raises:
            UserError: where no column has that head.
        """
        if head not in self._places:
            raise UserError(f"table {self.table.name}: no column {head!r}")
        return line[self._places[head]]

    def value(self, line: Line, head: str) -> float:
        """The number of a cell.

        Raises:
            UserError: where the cell holds none.
        """
        return self._given(line, head, self.cell(line, head).value)

    def count(self, line: Line, head: str) -> int:
        """What the number of a cell is out of.

        Raises:
            UserError: where the cell does not say, or where that is nothing.
        """
        return int(self._given(line, head, self.cell(line, head).count or None))

    def measured(self, section: int, *heads: str) -> Iterator[Line]:
        """The rows of a section that have a number, or a published one, below each of these heads.

        Raises:
            UserError: where no row has.
        """
        sections = self.table.sections
        lines = sections[section] if section < len(sections) else []
        found = [line for line in lines if all(self.cell(line, head).value is not None for head in heads)]
        if not found:
            raise UserError(f"table {self.table.name}, section {section + 1}: no row with {', '.join(heads)}")
        return iter(found)

    def _given(self, line: Line, head: str, number: float | None) -> float:
        if number is None:
            shown = self.cell(line, head).text or "blank"
            raise UserError(f"table {self.table.name}, row {line[0].text}, column {head!r}: no number ({shown})")
        return number


def _plain(head: str) -> str:
    """A head without its group, and without its unit or number of cases, in small letters."""
    return re.sub(r" \((%|n=\d+)\)$", "", head.rsplit(", ", 1)[-1]).casefold()
