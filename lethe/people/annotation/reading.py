"""Filled-in annotation sheets, checked row by row."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict
from zipfile import ZipFile

from forgeteval.csv_cells import as_given
from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.limits import MOST_SHEET_BYTES, MOST_SHEET_COLUMNS, MOST_SHEET_ROWS
from lethe.installed import require
from lethe.people.annotation.sheets import COLUMNS, LABELS, SHEET_KINDS

_NEEDED = ("item", "label")


class Annotation(TypedDict):
    """A row of `lethe.schemas.ANNOTATIONS`."""

    annotator: str
    case_id: str
    category: str
    provenance: str
    label: str
    comment: str


def find_sheets(folder: Path) -> list[Path]:
    """The sheets in a folder, sorted by name, without hidden and lock files; none if the folder is missing."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in SHEET_KINDS and path.name[0] not in ".~")


def read_sheets(paths: Sequence[Path], sample: Sequence[Mapping[str, Any]]) -> list[Annotation]:
    """The annotations of all sheets, one per annotator, whose name is that of the file.

    Args:
        sample: rows of `lethe.schemas.ANNOTATION_SAMPLE`.

    Raises:
        UserError: naming the file, the row if there is one, and the remedy.
    """
    by_annotator: dict[str, Path] = {}
    rows = []
    for path in paths:
        if path.stem in by_annotator:
            raise UserError(f"{path}: {by_annotator[path.stem]} is by the same annotator; keep one of the two")
        by_annotator[path.stem] = path
        rows += read_sheet(path, sample)
    return rows


def read_sheet(path: Path, sample: Sequence[Mapping[str, Any]]) -> list[Annotation]:
    """The annotations of one sheet, in the order of `sample`; see `read_sheets`."""
    items = {row["item"]: row for row in sample}
    given: dict[str, Annotation] = {}
    place: dict[str, int] = {}
    for number, cells in _cells(path):
        where = f"{path}: row {number}"
        item, label = cells["item"], cells["label"].lower()
        if item not in items:
            raise UserError(f"{where}: {item or 'an empty item'} is not a case of this sample; fill in a new sheet")
        if item in given:
            raise UserError(f"{where}: {item} is also in row {place[item]}; remove one of the two rows")
        if label not in LABELS:
            said = f"label {cells['label']!r}" if label else "no label"
            raise UserError(f"{where}: {said}; write {' or '.join(LABELS)}")
        place[item] = number
        given[item] = {
            "annotator": path.stem,
            "case_id": items[item]["case_id"],
            "category": items[item]["category"],
            "provenance": items[item]["provenance"],
            "label": label,
            "comment": " ".join(cells.get("comment", "").split()),
        }
    missing = [item for item in items if item not in given]
    if missing:
        raise UserError(
            f"{path}: {len(missing)} of {len(items)} cases have no row, first {missing[0]}; fill in the whole sheet"
        )
    return [given[item] for item in items]


def _cells(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (row number, text by column) of each row that is not empty."""
    lines = _spreadsheet_lines(path) if path.suffix.lower() == ".xlsx" else _csv_lines(path)
    numbered = enumerate(lines, start=1)
    _, header = next(numbered, (1, []))
    names = [name.lower() for name in header]
    for name in _NEEDED:
        if names.count(name) != 1:
            raise UserError(f"{path}: row 1: needs one column {name!r}; restore the header: {', '.join(COLUMNS)}")
    for number, line in numbered:
        if any(line):
            yield number, dict(zip(names, [*line, *[""] * (len(names) - len(line))], strict=False))


def _csv_lines(path: Path) -> Iterator[list[str]]:
    try:
        text = read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 (byte {error.start}); save it as CSV UTF-8") from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); fix its permissions") from error
    first = text.split("\n", 1)[0]
    # Spreadsheet programs write semicolons in locales with a decimal comma.
    delimiter = ";" if first.count(";") > first.count(",") else ","
    try:
        for line in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
            yield [as_given(cell.strip()) for cell in line]
    except csv.Error as error:
        raise UserError(f"{path}: not readable as CSV ({error}); save it as CSV UTF-8 again") from error


def _spreadsheet_lines(path: Path) -> Iterator[list[str]]:
    require("sheets", str(path))
    from openpyxl import load_workbook

    try:
        content = io.BytesIO(read_file(path))
        with ZipFile(content) as parts:
            unpacked = sum(part.file_size for part in parts.infolist())
        if unpacked > MOST_SHEET_BYTES:
            raise ValueError(f"{unpacked:,} bytes unpacked")
        book = load_workbook(content, read_only=True, data_only=True)
        rows = book.worksheets[0].iter_rows(max_row=MOST_SHEET_ROWS + 1, max_col=MOST_SHEET_COLUMNS, values_only=True)
        lines = [_texts(values) for values in rows]
        if len(lines) > MOST_SHEET_ROWS:
            raise ValueError(f"a row beyond {MOST_SHEET_ROWS:,}, which is to be deleted")
    except Exception as error:
        # A damaged file breaks whatever happens to read it: the archive, the XML, the cells.
        problem = " ".join(f"{type(error).__name__}: {error}".split())
        raise UserError(f"{path}: not readable as a spreadsheet ({problem}); save it as .xlsx again") from error
    yield from lines


def _texts(values: Iterable[object]) -> list[str]:
    return ["" if value is None else str(value).strip() for value in values]
