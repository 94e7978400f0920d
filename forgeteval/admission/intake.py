"""Stage 1 of admission for a file of cases: every line is checked, every objection kept.

The paper's external subset (section "External-authored subset") passed the same filter as the in-house cases.
"""

import json
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forgeteval.admission.structure import rejections
from forgeteval.cases.case import Case
from forgeteval.cases.interchange import CaseError, case_from_json
from forgeteval.cases.written import Read, category_files, name_of, read_records, read_written, reader
from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.json_records import unique_keys

NO_ID = "-"
"""Placeholder for the case id of a line without one."""

_SUITE = "external"


@dataclass(frozen=True, slots=True)
class Objection:
    """One reason against one line: `reason` for programs, `detail` for people."""

    line: int
    case_id: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Intake:
    """Result of Stage 1 for a file: number of non-empty lines, cases without objection, and all objections."""

    checked: int
    admitted: tuple[Case, ...]
    objections: tuple[Objection, ...]

    @property
    def rejected(self) -> int:
        """Number of lines that are not admitted; a line may have several objections."""
        return self.checked - len(self.admitted)


def check_file(path: Path, earlier: Iterable[Case] = ()) -> Intake:
    """Stage 1 verdicts on a JSON Lines file, in the order of its lines.

    Args:
        earlier: cases admitted before, which a case of this file must not repeat; their ids do not matter.

    Raises:
        UserError: if the file cannot be read or contains no case; a bad line is an objection instead.
    """
    try:
        lines = read_file(path).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); give the path of a JSON Lines file") from error
    intake = check_lines(path, lines, earlier)
    if not intake.checked:
        raise UserError(f"{path}: contains no case; write one JSON object on each line")
    return intake


def check_lines(path: Path, lines: Iterable[bytes], earlier: Iterable[Case] = ()) -> Intake:
    """Stage 1 verdicts on lines of JSON, reported as those of `path`; empty lines are skipped."""
    check = _Check(path, _Seen(earlier))
    for number, line in enumerate(lines, start=1):
        if line.strip():
            check.line(number, line)
    return Intake(check.checked, tuple(check.admitted), tuple(check.objections))


def check_written(path: Path, twins_of: Path | None = None) -> list[tuple[Path, Intake]]:
    """Stage 1 verdicts on each category file of a written suite, or on one of them.

    Args:
        path: the suite's folder, or one of its files.
        twins_of: folder of the suite whose cases these are the twins of.

    Raises:
        UserError: where a file cannot be read or is no list of cases; a bad case is an objection instead.
    """
    read = reader(_SUITE, None if twins_of is None else read_written(_SUITE, twins_of))
    intakes, seen = [], _Seen()
    for file in category_files(path) if path.is_dir() else [path]:
        check = _Check(file, seen)
        for line, record in read_records(file):
            check.record(line, record, read)
        intakes.append((file, Intake(check.checked, tuple(check.admitted), tuple(check.objections))))
    return intakes


_Place = tuple[Path, int]


class _Seen:
    """The ids and contents seen so far, each with its file and line, or the case that was taken in earlier."""

    def __init__(self, earlier: Iterable[Case] = ()) -> None:
        self.ids: dict[str, _Place] = {}
        self.contents: dict[tuple[object, ...], _Place | str] = {
            _content(case): f"case {case.case_id}, taken in earlier" for case in earlier
        }


class _Check:
    """Check of a file's lines in order."""

    def __init__(self, path: Path, seen: _Seen) -> None:
        self.path = path
        self.checked = 0
        self.admitted: list[Case] = []
        self.objections: list[Objection] = []
        self._seen = seen

    def line(self, number: int, line: bytes) -> None:
        """Check a line of JSON."""
        self._take(number, NO_ID, lambda: _decode(line), lambda record, where: case_from_json(record, _SUITE, where))

    def record(self, number: int, record: Any, read: Read) -> None:
        """Check a record of a category file that begins on line `number`."""
        self._take(number, name_of(record), lambda: record, lambda found, where: read(found, self.path, where))

    def _take(self, number: int, name: str, decode: Callable[[], Any], read: Callable[[Any, str], Case]) -> None:
        self.checked += 1
        before = len(self.objections)
        record: Any = None
        try:
            record = decode()
            case = read(record, f"{self.path}:{number}")
        except CaseError as error:
            self._object(number, _id_of(record), error.reason, f"{error.field}: {error.problem}")
            return
        except (ValueError, RecursionError) as error:
            self._object(number, name, "malformed-json", f"not one JSON object in UTF-8 ({error})")
            return
        for rejection in rejections(case):
            self._object(number, case.case_id, rejection.reason, rejection.detail)
        self._compare(number, case)
        if len(self.objections) == before:
            self.admitted.append(case)

    def _compare(self, number: int, case: Case) -> None:
        here = (self.path, number)
        first = self._seen.ids.setdefault(case.case_id, here)
        if first != here:
            self._object(number, case.case_id, "duplicate-id", f"first used in {self._named(first)}")
        like = self._seen.contents.setdefault(_content(case), here)
        if like != here:
            self._object(number, case.case_id, "duplicate-content", f"same facts and mutations as {self._named(like)}")

    def _named(self, place: _Place | str) -> str:
        if isinstance(place, str):
            return place
        path, line = place
        return f"line {line}" if path == self.path else f"line {line} of {path.name}"

    def _object(self, number: int, case_id: str, reason: str, detail: str) -> None:
        self.objections.append(Objection(number, " ".join(case_id.split()), reason, " ".join(detail.split())))


def _decode(line: bytes) -> Any:
    """Read one JSON value that can be written as UTF-8 again, as an unpaired surrogate escape cannot.

    Raises:
        ValueError, RecursionError: if the line is not such a value.
    """
    record = json.loads(line.decode("utf-8"), object_pairs_hook=unique_keys)
    json.dumps(record, ensure_ascii=False).encode("utf-8")
    return record


def _id_of(record: Any) -> str:
    given = record.get("case_id", record.get("id")) if isinstance(record, dict) else None
    return given if isinstance(given, str) and given.strip() else NO_ID


def _content(case: Case) -> tuple[object, ...]:
    """Equal for cases that are the same test: facts in any order, and mutations, without capitals and white space."""
    mutations = tuple((m.op, _plain(m.query), _plain(m.text or "")) for m in case.mutations)
    return (tuple(sorted(_plain(fact) for fact in case.setup_facts)), mutations)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
