"""Annotation sheets: the sampled cases as a table to fill in, as CSV or as a spreadsheet with a drop-down list."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from forgeteval.cases.case import Case, Mutation
from forgeteval.csv_cells import as_text
from forgeteval.errors import UserError
from forgeteval.files import atomic_write, write_text
from lethe.installed import require
from lethe.people.annotation.sample import item_name

LABELS = ("wf", "ill")
"""Labels for well-formed and ill-formed, as in the paper."""
SHOWN = ("facts", "commands", "question", "must be recalled", "must not be recalled")
"""Columns that tie a row to its case."""
COLUMNS = ("item", *SHOWN, "label", "comment")
SHEET_KINDS = (".csv", ".xlsx")

INSTRUCTIONS = (
    "Each row is one test of a memory store. The facts are stored, the commands are given in order, then the question "
    "is asked.",
    "supersede: the fact that the command describes is out of date; the new text takes its place. A fact that also "
    "says something else keeps the rest.",
    "release: everything that the command describes is no longer recalled; everything else is.",
    "purge: every fact about exactly that entity is erased, in whatever spelling; what merely looks like it stays.",
    "Label a row wf (well-formed) if, after a perfect store has done all this, (a) each string that must be recalled "
    "is part of a fact that is left, (b) no string that must not be recalled is, and (c) the question has one clear "
    "answer. Label it ill (ill-formed) otherwise, and say why in the comment.",
    "Capitals do not matter. Label every row, on your own. Change only label and comment.",
)
_WIDTHS = (13, 60, 45, 34, 26, 26, 9, 40)
_WRAPPED_CHARACTERS, _LINE_POINTS = 1.15, 14.5
"""Characters per unit of column width, and height of a line of text in points, in the default font."""


def sheet_rows(sample: Sequence[Case]) -> list[list[str]]:
    """The cells of a sheet, with label and comment empty; they hide category, provenance and the gold memories."""
    return [
        [
            item_name(case),
            _listed(case.setup_facts),
            _listed([_command(mutation) for mutation in case.mutations]),
            case.final_query,
            _listed(case.must_contain),
            _listed(case.must_not_contain),
            "",
            "",
        ]
        for case in sample
    ]


def write_sheet(path: Path, sample: Sequence[Case]) -> None:
    """Write an empty sheet, as CSV or as a spreadsheet depending on the ending of `path`.

    Raises:
        UserError: for any other ending.
    """
    if path.suffix == ".csv":
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\r\n")
        writer.writerow(COLUMNS)
        writer.writerows([as_text(cell) for cell in row] for row in sheet_rows(sample))
        # Spreadsheet programs recognise UTF-8 in a CSV file by its byte order mark.
        write_text(path, "\ufeff" + stream.getvalue())
    elif path.suffix == ".xlsx":
        _write_spreadsheet(path, sheet_rows(sample))
    else:
        raise UserError(f"{path}: a sheet is a .csv or an .xlsx file; give it one of these endings")


def _listed(texts: Sequence[str]) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1)) or "(nothing)"


def _command(mutation: Mutation) -> str:
    new = "" if mutation.text is None else f"\n   new: {mutation.text}"
    return f"{mutation.op}: {mutation.query}{new}"


def _write_spreadsheet(path: Path, rows: Sequence[Sequence[str]]) -> None:
    require("sheets", str(path))
    # Takes a third of a second to import, which other commands should not wait.
    from openpyxl import Workbook
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    from openpyxl.styles import Alignment, Font, PatternFill
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "cases"
    for column, (name, width) in enumerate(zip(COLUMNS, _WIDTHS, strict=True), start=1):
        head = sheet.cell(1, column, name)
        head.font = Font(bold=True)
        head.fill = PatternFill("solid", start_color="DDE6F0")
        sheet.column_dimensions[get_column_letter(column)].width = width
    for number, row in enumerate(rows, start=2):
        for column, text in enumerate(row, start=1):
            body = sheet.cell(number, column, ILLEGAL_CHARACTERS_RE.sub("\ufffd", text) or None)
            body.alignment = Alignment(wrap_text=True, vertical="top")
            if text:
                # A text that begins with = is not a formula.
                body.data_type = "s"
        sheet.row_dimensions[number].height = _LINE_POINTS * max(map(_lines, row, _WIDTHS))
    sheet.freeze_panes = "B2"
    label = get_column_letter(COLUMNS.index("label") + 1)
    choice = DataValidation(type="list", formula1=f'"{",".join(LABELS)}"', allow_blank=True, showErrorMessage=True)
    choice.errorTitle, choice.error = "Label", f"Choose {' or '.join(LABELS)}."
    choice.add(f"{label}2:{label}{len(rows) + 1}")
    sheet.add_data_validation(choice)
    guide = book.create_sheet("how to label")
    guide.column_dimensions["A"].width = 110
    for number, line in enumerate(INSTRUCTIONS, start=1):
        guide.cell(number, 1, line).alignment = Alignment(wrap_text=True, vertical="top")
        guide.row_dimensions[number].height = _LINE_POINTS * _lines(line, 110)
    with atomic_write(path) as stream:
        book.save(stream)


def _lines(text: str, width: int) -> int:
    room = int(width * _WRAPPED_CHARACTERS)
    return sum(1 + len(line) // room for line in text.split("\n"))
