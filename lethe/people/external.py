"""The external suite: the admitted cases of outside authors in one file, and the rejections in another."""

import csv
import io
import re
from collections import Counter
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from forgeteval.admission.check import Objection, check_cases
from forgeteval.cases.case import Case
from forgeteval.cases.interchange import CaseError, case_from_json, dump_jsonl, read_json_lines
from forgeteval.cases.suites import INTAKE_FILE
from forgeteval.csv_cells import as_given, as_text, delimiter_of
from forgeteval.errors import UserError, printable
from forgeteval.files import read_file, real, write_text
from lethe.folders import held

REJECTIONS_FILE = "rejections.csv"
_COLUMNS = ["author", "line", "case_id", "reason", "detail"]
_PROVENANCE = "external"
_SEPARATOR = "."
"""Separator of author and case id; author names cannot contain it."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class TakenIn:
    """Result of one author's file.

    Attributes:
        admitted_by_category: number of admitted cases.
        rejected: number of rejected lines.
        objections: their reasons.
        replaced: number of earlier cases of the author, which are there no more.
    """

    admitted_by_category: dict[str, int]
    rejected: int
    objections: list[Objection]
    replaced: int


def take_in(path: Path, author: str, folder: Path) -> TakenIn:
    """Write an author's admitted cases to `folder/cases.jsonl` and the objections to `folder/rejections.csv`.

    A case's id becomes `AUTHOR.ID` and its provenance `external`. Earlier cases of the same author are replaced; those
    of other authors stay, and a case that repeats one of theirs is rejected. Both files are sorted by author, and each
    is written whole or not at all. Of a file with no admitted case nothing is written where the author has earlier
    ones. Where several are taken in at once, one waits for the other.

    Raises:
        UserError: if the author's name, the file or the contents of `folder` are unusable.
    """
    if not _NAME.fullmatch(author):
        raise UserError(f"author {author!r}: use only letters, digits, `-` and `_`, and start with a letter or digit")
    if path.is_dir():
        raise UserError(f"{path}: a folder; take in one file of cases at a time")
    if real(path) == real(folder / INTAKE_FILE):
        raise UserError(f"{path}: the file that intake writes; name the author's own, or another folder by --out")
    with held(folder):
        return _take_in(path, author, folder)


def _take_in(path: Path, author: str, folder: Path) -> TakenIn:
    cases_path, rejections_path = folder / INTAKE_FILE, folder / REJECTIONS_FILE
    earlier = _read_cases(cases_path)
    others = [case for case in earlier if _author_of(case) != author]
    if alike := next((name for name in map(_author_of, others) if name.casefold() == author.casefold()), None):
        raise UserError(f"author {author!r}: {cases_path} has cases of {alike}; give that name, or another for another")
    replaced = len(earlier) - len(others)
    other_rejections = [row for row in _read_rejections(rejections_path) if row[0] != author]

    [intake] = check_cases(path, strict=True, earlier=others)
    admitted = [
        replace(case, case_id=f"{author}{_SEPARATOR}{case.case_id}", provenance=_PROVENANCE) for case in intake.admitted
    ]
    rejections = [[author, *map(str, astuple(objection))] for objection in intake.objections]

    if replaced and not admitted:
        first = intake.objections[0]
        why = f"line {first.line}: {first.reason}: {first.detail:.200}"
        raise UserError(
            f"{path}: no case is admitted, so the {replaced} of {author} in {cases_path} stay ({why}); mend the file"
        )
    write_text(cases_path, dump_jsonl(sorted([*others, *admitted], key=_author_of)))
    write_text(rejections_path, _csv_text(sorted([*other_rejections, *rejections], key=lambda row: row[0])))
    by_category = Counter(case.category for case in admitted)
    return TakenIn(dict(sorted(by_category.items())), intake.rejected, intake.objections, replaced)


def _author_of(case: Case) -> str:
    return case.case_id.split(_SEPARATOR)[0]


def _read_cases(path: Path) -> list[Case]:
    if not path.exists():
        return []
    try:
        cases = [case_from_json(record, "external", f"{path}:{number}") for number, record in read_json_lines(path)]
    except CaseError as error:
        raise UserError(f"{error}; mend it, or name another folder by --out") from error
    if own := next((case.case_id for case in cases if case.provenance != _PROVENANCE), None):
        raise UserError(f"{path}: {own} was not taken in by intake; name another folder by --out")
    return cases


def _read_rejections(path: Path) -> list[list[str]]:
    if not path.exists():
        return []
    text = read_file(path).decode("utf-8-sig", errors="replace")
    try:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text))
        rows = [[as_given(cell) for cell in row] for row in lines if row]
    except csv.Error:
        rows = []
    if rows[:1] != [_COLUMNS] or any(len(row) != len(_COLUMNS) for row in rows):
        raise UserError(f"{path}: not a table with the columns {','.join(_COLUMNS)}; move it away and run again")
    return rows[1:]


def _csv_text(rows: list[list[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(
        [_COLUMNS, *([as_text(printable(cell)) for cell in row] for row in rows)]
    )
    return text.getvalue()
