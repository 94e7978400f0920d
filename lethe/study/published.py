"""The numbers that the paper printed (`config/published.csv`), read, checked and looked up; docs/published.md."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from forgeteval.errors import UserError

COLUMNS = ("table", "row", "column", "value", "n", "unit")
UNITS = ("cases", "calls", "count", "percent", "points", "score", "kappa", "ratio", "ms", "s", "min", "usd", "na")
"""`cases` and `calls`: value of n; `percent`: of n where n is given; `points`: percentage points; `na`: no number."""

_DIGITS, _WHOLE = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?"), re.compile(r"[1-9][0-9]{0,8}")

Place = tuple[str, str, str]
"""(table, row, column) of a printed cell."""


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """One number of a printed cell; a cell such as "33/36 (92)" is two, of the units cases and percent.

    Attributes:
        value: as printed, trailing zeros kept; None where the unit is `na`.
        n: what the value is out of; None where the paper gives none.
    """

    table: str
    row: str
    column: str
    value: Decimal | None
    n: int | None
    unit: str

    @property
    def place(self) -> Place:
        return self.table, self.row, self.column

    @property
    def half_step(self) -> float:
        """Half of the last printed digit: how far the unrounded value may be from the printed one."""
        return 0.0 if self.value is None else 0.5 * 10.0 ** int(self.value.as_tuple().exponent)


@dataclass(frozen=True, slots=True)
class Published:
    """All printed numbers, in the file's order, by (table, row, column) and unit."""

    by_place: Mapping[Place, Mapping[str, PublishedNumber]]

    def __iter__(self) -> Iterator[PublishedNumber]:
        return (number for units in self.by_place.values() for number in units.values())

    def tables(self) -> list[str]:
        """Names of the tables, in the file's order."""
        return list(dict.fromkeys(table for table, _, _ in self.by_place))

    def rows(self, table: str) -> list[str]:
        """Names of a table's rows, in the file's order."""
        return list(dict.fromkeys(row for name, row, _ in self.by_place if name == table))

    def columns(self, table: str) -> list[str]:
        """Names of a table's columns, in the file's order."""
        return list(dict.fromkeys(column for name, _, column in self.by_place if name == table))

    def find(self, table: str, row: str, column: str, unit: str | None = None) -> PublishedNumber | None:
        """One number of a cell, the first that stands there if no unit is given; None where the paper has none."""
        units = self.by_place.get((table, row, column), {})
        return next(iter(units.values()), None) if unit is None else units.get(unit)

    def value(self, table: str, row: str, column: str, unit: str) -> Decimal:
        """The printed value.

        Raises:
            KeyError: where the paper prints no number of that unit there.
        """
        number = self.find(table, row, column, unit)
        if number is None or number.value is None:
            raise KeyError((table, row, column, unit))
        return number.value


def read_published(path: Path) -> Published:
    """Read and check the file.

    Raises:
        UserError: naming the line, what is wrong there and the remedy.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read as UTF-8 text ({type(error).__name__}); restore the file") from error
    lines = csv.reader(io.StringIO(text, newline=""))
    header = next(_lines(lines, path), [])
    if tuple(header) != COLUMNS:
        raise UserError(f"{path}:1: the header must be {','.join(COLUMNS)}, not {','.join(header)!r}")
    by_place: dict[Place, dict[str, PublishedNumber]] = {}
    for fields in _lines(lines, path):
        where = f"{path}:{lines.line_num}"
        number = _number(fields, where)
        units = by_place.setdefault(number.place, {})
        if number.unit in units:
            place = ", ".join(number.place)
            raise UserError(f"{where}: {place} has a second value in {number.unit}; keep one of the two lines")
        if units and "na" in (number.unit, *units):
            raise UserError(f"{where}: {', '.join(number.place)} is both na and a number; keep one of the two lines")
        units[number.unit] = number
    return Published(by_place)


def _lines(lines: Iterator[list[str]], path: Path) -> Iterator[list[str]]:
    try:
        yield from lines
    except csv.Error as error:
        raise UserError(f"{path}: not CSV ({error}); restore the file") from error


def _number(fields: list[str], where: str) -> PublishedNumber:
    if len(fields) != len(COLUMNS):
        raise UserError(f"{where}: {len(fields)} fields; give {len(COLUMNS)}: {','.join(COLUMNS)}")
    table, row, column, value, n, unit = fields
    for name, field in (("table", table), ("row", row), ("column", column)):
        if not field or field != field.strip():
            raise UserError(f"{where}: {name} {field!r}: must be a name without white space around it")
    if unit not in UNITS:
        raise UserError(f"{where}: unit {unit!r}: use one of {', '.join(UNITS)}")
    if (value == "") != (unit == "na"):
        raise UserError(f"{where}: value {value!r} with unit {unit}: leave the value empty where the unit is na alone")
    whole = _whole(n, where)
    printed = None if unit == "na" else _printed(value, where)
    if printed is not None and unit in ("cases", "calls", "count"):
        if printed != int(printed) or printed < 0:
            raise UserError(f"{where}: value {value!r}: {unit} are whole numbers from 0")
        if unit != "count" and (whole is None or printed > whole):
            raise UserError(f"{where}: value {value!r} of n {n!r}: {unit} need an n that is not smaller")
    return PublishedNumber(table, row, column, printed, whole, unit)


def _printed(value: str, where: str) -> Decimal:
    if not _DIGITS.fullmatch(value):
        raise UserError(f"{where}: value {value!r:.80}: write a number with its digits as printed, such as 91.7")
    return Decimal(value)


def _whole(n: str, where: str) -> int | None:
    if not n:
        return None
    if not _WHOLE.fullmatch(n):
        raise UserError(f"{where}: n {n!r:.80}: write a whole number from 1 of at most nine digits, or nothing")
    return int(n)
