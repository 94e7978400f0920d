"""Filled-in annotation sheets, checked row by row."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, zip_longest
from pathlib import Path
from typing import Any, TypedDict
from zipfile import ZipFile

from forgeteval.cases.case import Case
from forgeteval.csv_cells import as_given, delimiter_of
from forgeteval.errors import UserError, check_name
from forgeteval.files import read_file
from forgeteval.foreign import reading
from forgeteval.limits import MOST_SHEET_BYTES, MOST_SHEET_COLUMNS, MOST_SHEET_ROWS, MOST_STYLE_BYTES, Limits
from forgeteval.scoring.scorers import as_seen
from lethe.installed import require
from lethe.people.annotation.sheets import COLUMNS, LABELS, SHEET_KINDS, SHOWN, sheet_rows

SHEETS = "annotations"
"""Folder of the filled-in sheets, one file per annotator."""
_NEEDED = ("item", "label", "comment")
_OTHER_KINDS = (".fods", ".numbers", ".ods", ".tsv", ".xls", ".xlsb", ".xlsm")
"""Endings of sheets that are not read."""
_STYLES = "xl/styles.xml"
SHEET_LIMITS = Limits(memory=1 << 30, seconds=120)
"""Of the process that reads sheets."""
_COPY = r"(copy|kopie|copia|copie)"
_OF_A_COPY = re.compile(
    rf"^({_COPY}( \(?\d+\)?)? (of|von|de)) |\s*\((\d+|.*\b{_COPY}\b.*)\)$|[\s_-]+{_COPY}( \(?\d+\)?)?$"
)
_LONGEST_CELL = 32_767
"""Letters of a text in an .xlsx file; openpyxl cuts a longer one there."""
_MANY = 10
"""Of each label: two who work alone differ on one of so many."""


class Annotation(TypedDict):
    """A row of `lethe.schemas.ANNOTATIONS`."""

    annotator: str
    case_id: str
    category: str
    provenance: str
    label: str
    comment: str


def find_sheets(folder: Path) -> list[Path]:
    """The sheets in a folder, sorted by name, without hidden and lock files; none if the folder is missing.

    Raises:
        UserError: where something there would be a sheet that nobody reads.
    """
    if not folder.is_dir():
        return []
    shown = sorted(path for path in folder.iterdir() if path.name[0] not in ".~")
    found = [path for path in shown if path.suffix.lower() in SHEET_KINDS]
    for path in shown:
        check_name("sheet", path.name)
        if path in found and not {*"<>{}"}.isdisjoint(path.name):
            raise UserError(f"{path}: rename it without < > {{ }}, which Snakemake reads as wildcards")
        unread = path.suffix.lower() in _OTHER_KINDS or (path in found and not path.is_file())
        if unread or (path.is_dir() and find_sheets(path)):
            raise UserError(f"{path}: not read; save it as .csv or .xlsx in {folder} itself, or move it away")
    return found


def check_annotators(paths: Sequence[Path]) -> None:
    """Raise UserError where two sheets are by the same annotator: their names are seen as one, or as one of a copy."""
    by_annotator: dict[str, Path] = {}
    for path in paths:
        name = as_seen(path.stem)
        while (shorter := _OF_A_COPY.sub("", name).strip()) not in ("", name):
            name = shorter
        if name in by_annotator:
            raise UserError(f"{path}: {by_annotator[name]} is by the same annotator; keep one of the two")
        by_annotator[name] = path


def read_sheets(
    paths: Sequence[Path], sample: Sequence[Mapping[str, Any]], cases: Mapping[str, Case] | None = None
) -> list[Annotation]:
    """The annotations of all sheets, one per annotator, whose name is that of the file.

    Args:
        sample: rows of `lethe.schemas.ANNOTATION_SAMPLE`.
        cases: by their items; with them, each row has to show its own case.

    Raises:
        UserError: naming the file, the row if there is one, and the remedy.
    """
    check_annotators(paths)
    read = {path: read_sheet(path, sample, cases) for path in paths}
    for first, second in alike(read):
        labels = [row["label"] for row in read[first]]
        comments, others = ([_plain(row["comment"]) for row in read[path]] for path in (first, second))
        if comments == others and (any(comments) or min(map(labels.count, LABELS)) >= _MANY):
            raise UserError(f"{second}: every label and comment is that of {first}; a copy is no annotator, remove it")
    return [row for rows in read.values() for row in rows]


def alike(read: Mapping[Path, Sequence[Annotation]]) -> list[tuple[Path, Path]]:
    """The pairs of sheets with the same label in every row."""
    said = {path: [(row["case_id"], row["label"]) for row in rows] for path, rows in read.items()}
    return [(first, second) for first, second in combinations(read, 2) if said[first] == said[second]]


def shown_alike(written: str, own: str) -> bool:
    """Whether a cell shows a text, whatever a spreadsheet made of its signs and spaces."""
    return _plain(written) == _plain(own)


def _plain(text: str) -> str:
    """The letters of a text with their marks, and its digits."""
    return "".join(each for each in as_seen(text) if each.isalnum() or unicodedata.category(each)[0] == "M")


def read_sheet(
    path: Path, sample: Sequence[Mapping[str, Any]], cases: Mapping[str, Case] | None = None
) -> list[Annotation]:
    """The annotations of one sheet, in the order of `sample`; see `read_sheets`."""
    reading(str(path))
    shown = _shown(cases, sample) if cases is not None else {}
    longest = _LONGEST_CELL if path.suffix.lower() == ".xlsx" else None
    items = {row["item"]: row for row in sample}
    given: dict[str, Annotation] = {}
    place: dict[str, int] = {}
    for number, cells in filled_rows(path, _NEEDED if cases is None else (*_NEEDED, *SHOWN), COLUMNS):
        where = f"{path}: row {number}"
        item, label = cells["item"], cells["label"].lower()
        if item not in items:
            raise UserError(f"{where}: {item[:80]} is no case of this sample; fill in a new sheet")
        if item in given:
            raise UserError(f"{where}: {item} is also in row {place[item]}; remove one of the two rows")
        if label not in LABELS:
            said = f"label {cells['label']!r:.80}" if label else "no label"
            raise UserError(f"{where}: {said}; write {' or '.join(LABELS)}")
        for name, text in shown.get(item, {}).items():
            if not shown_alike(cells[name], text[:longest]):
                raise UserError(f"{where}: column {name!r} is not that of {item}; fill in a new sheet")
        place[item] = number
        given[item] = {
            "annotator": path.stem,
            "case_id": items[item]["case_id"],
            "category": items[item]["category"],
            "provenance": items[item]["provenance"],
            "label": label,
            "comment": " ".join(cells["comment"].split()),
        }
    missing = [item for item in items if item not in given]
    if missing:
        raise UserError(
            f"{path}: {len(missing)} of {len(items)} cases have no row, first {missing[0]}; fill in the whole sheet"
        )
    return [given[item] for item in items]


def _shown(cases: Mapping[str, Case], sample: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """What the sheet shows of each case of the sample, by item and column.

    Raises:
        UserError: where a case of the sample is missing.
    """
    for row in sample:
        if row["item"] not in cases:
            raise UserError(f"{row['item']}: of the sample, and no case of the suite; draw the sample again")
    rows = sheet_rows([cases[row["item"]] for row in sample])
    by_column = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    return {row["item"]: {name: row[name] for name in SHOWN} for row in by_column}


def filled_rows(path: Path, needed: Sequence[str], columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (row number, text by column) of each row of a sheet that is not empty.

    Args:
        needed: the columns that have to be there, of all `columns` that the sheet was written with.

    Raises:
        UserError: naming the file, the row if there is one, and the remedy; also for a row without an item.
    """
    lines = _spreadsheet_lines(path) if path.suffix.lower() == ".xlsx" else _csv_lines(path)
    numbered = enumerate(lines, start=1)
    _, header = next(numbered, (1, []))
    names = [name.lower() for name in header]
    for name in needed:
        if names.count(name) != 1:
            raise UserError(f"{path}: row 1: needs one column {name!r}; restore the header: {', '.join(columns)}")
    for number, line in numbered:
        cells = [*zip_longest(names, line, fillvalue="")]
        where = f"{path}: row {number}"
        if stray := next((cell for name, cell in cells if cell and not name), ""):
            raise UserError(
                f"{where}: {stray!r:.80} has no column name above it; move it to {columns[-1]!r}, or remove it"
            )
        if any(line):
            found = dict(cells)
            if not found["item"]:
                raise UserError(f"{where}: no item; restore it, or remove the row")
            yield number, found


def _csv_lines(path: Path) -> Iterator[list[str]]:
    try:
        text = read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 (byte {error.start}); save it as CSV UTF-8") from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); fix its permissions") from error
    try:
        for line in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text), strict=True):
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
            styles = sum(part.file_size for part in parts.infolist() if part.filename == _STYLES)
        if unpacked > MOST_SHEET_BYTES:
            raise ValueError(f"{unpacked:,} bytes unpacked")
        if styles > MOST_STYLE_BYTES:
            raise ValueError(f"{styles:,} bytes of styles unpacked")
        book = load_workbook(content, read_only=True)
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
