"""CSV files: their lines as records, and texts in cells, some of which a spreadsheet takes for formulas."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, TypeVar

from forgeteval.errors import UserError
from forgeteval.files import read_file, write_text

T = TypeVar("T")

_SIGNS = r"=+\-@\uff1d\uff0b\uff0d\uff20"
_FORMULA = rf"'*[{_SIGNS}\t\r\n]"
_INNER_FORMULA = rf"['\"]*[{_SIGNS}]"
# A program that takes semicolons, tabs or line ends for the ends of cells reads what follows them as cells too.
_BEFORE_FORMULA = re.compile(rf"\A(?={_FORMULA})|(?<=[;\t\r\n])(?={_INNER_FORMULA})")
_GUARD = re.compile(rf"\A'(?={_FORMULA})|(?<=[;\t\r\n])'(?={_INNER_FORMULA})")


def as_text(given: str) -> str:
    """The cell of a text; what a spreadsheet would take for a formula begins with an apostrophe more.

    >>> as_text("=1+1"), as_text("x;=1+1"), as_text("a; -b")
    ("'=1+1", "x;'=1+1", 'a; -b')
    """
    return _BEFORE_FORMULA.sub("'", given)


def as_given(cell: str) -> str:
    """The text of a cell, as it was given to `as_text`."""
    return _GUARD.sub("", cell)


def delimiter_of(text: str) -> str:
    """What stands between the cells: spreadsheet programs write semicolons in locales with a decimal comma, or tabs."""
    first = re.split("[\r\n]", text, maxsplit=1)[0]
    return max(",;\t", key=first.count)


def read_lines(path: Path, record: Callable[[Mapping[str, str]], T], kind: str, remedy: str) -> Iterator[T]:
    """What `record` makes of each line of a CSV file with a header.

    Lines and last columns that are empty, as spreadsheets leave them, are passed over.

    Args:
        record: from the cells by column; raises KeyError or ValueError for what is not a line of `kind`.

    Raises:
        UserError: naming the file, the line if there is one, and the remedy.
    """
    try:
        text = read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 (byte {error.start}); save it as CSV UTF-8") from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error}); {remedy}") from error
    lines = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter_of(text), strict=True)
    try:
        names = [*(lines.fieldnames or ())]
        while names and not names[-1]:
            names.pop()
        lines.fieldnames = names
        if len({*names}) < len(names):
            raise ValueError("a column that is there twice")
        for fields in lines:
            further: Any = fields.pop(None, ())
            if not any((*further, *fields.values())):
                continue
            if any(further) or None in fields.values():
                raise ValueError("another number of cells than in the header")
            yield record(_Cells(fields))
    except (csv.Error, KeyError, ValueError) as error:
        raise UserError(f"{path}:{lines.line_num}: not a line of {kind} ({error!r:.200}); {remedy}") from error


class _Cells(dict[str, str]):
    def __missing__(self, name: str) -> str:
        raise ValueError(f"no column {name!r}")


def write_lines(path: Path, kind: type[Any], records: Iterable[Any]) -> None:
    """Write a CSV file with a header, one line a record of a dataclass, sorted."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(field.name for field in fields(kind))
    writer.writerows(astuple(record) for record in sorted(records))
    write_text(path, text.getvalue())
