"""Stage 1 of admission for files of cases: each is checked, every objection kept.

The paper's external subset (section "External-authored subset") passed the same filter as the in-house cases.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from forgeteval.admission.house import house_case, in_own_file
from forgeteval.admission.structure import rejections
from forgeteval.cases.case import Case
from forgeteval.cases.interchange import CaseError
from forgeteval.cases.reading import (
    Record,
    ToCase,
    case_files,
    open_case,
    read_cases,
    record_of,
    records_of,
    twin_reader,
)
from forgeteval.errors import UserError, one_line
from forgeteval.scoring.scorers import as_seen

NO_ID = "-"
"""Placeholder for the case id of a record without one."""

_SUITE = "external"


@dataclass(frozen=True, slots=True)
class Objection:
    """One reason against the case that begins on a line: `reason` for programs, `detail` for people."""

    line: int
    case_id: str
    reason: str
    detail: str


@dataclass(slots=True)
class CheckedFile:
    """What came of the cases of a file.

    Attributes:
        strict: whether all that this project demands of its own cases was demanded.
        checked: how many there are.
        with_gold, with_states: those that say what a perfect memory holds, and what becomes of each fact; without gold
            nobody knows whether a perfect memory passes, so that this was not asked.
        admitted: cases without objection.
    """

    path: Path
    strict: bool
    checked: int = 0
    with_gold: int = 0
    with_states: int = 0
    admitted: list[Case] = field(default_factory=list)
    objections: list[Objection] = field(default_factory=list)

    @property
    def rejected(self) -> int:
        """Number of cases that are not admitted; one may have several objections."""
        return self.checked - len(self.admitted)

    def lines(self) -> Iterator[str]:
        """What people read: a line for each objection, then one that counts."""
        for objection in self.objections:
            yield f"{self.path}:{objection.line}: {objection.case_id}: {objection.reason}: {objection.detail}"
        cases = "1 case" if self.checked == 1 else f"{self.checked} cases"
        counted = f"{self.path}: {cases}, {len(self.admitted)} admitted, {self.rejected} rejected"
        yield counted if self.strict else f"{counted}; {self.with_gold} with gold_rows, {self.with_states} with states"

    def to_json(self) -> dict[str, Any]:
        """What programs read."""
        return {
            "file": str(self.path),
            "strict": self.strict,
            "checked": self.checked,
            "admitted": len(self.admitted),
            "rejected": self.rejected,
            "with_gold": self.with_gold,
            "with_states": self.with_states,
            "rejections": [asdict(objection) for objection in self.objections],
        }


def check_cases(
    path: Path, *, strict: bool = False, twins_of: Path | None = None, earlier: Iterable[Case] = ()
) -> list[CheckedFile]:
    """Stage 1 verdicts on anybody's cases, file by file, in the order of the file.

    A case has to tell forgetting from returning nothing, deleting everything, deleting nothing and ignoring every
    mutation. Where it says what a perfect memory holds, that has to pass.

    Args:
        path: a file or folder as `forgeteval.cases.reading.read_cases` takes it.
        strict: demand what this project demands of the cases that it takes in; see `forgeteval.admission.house`.
        twins_of: a file or folder of the cases whose twins these are.
        earlier: cases admitted before, which a case must not repeat; their ids do not matter.

    Raises:
        UserError: if a file cannot be read or contains no case; a bad case is an objection instead.
    """
    check = _Check(strict, _reader(strict, None if twins_of is None else read_cases(twins_of, _SUITE)), earlier)
    files = [check.file(file, records_of(file)) for file in case_files(path)]
    if not any(file.checked for file in files):
        raise UserError(f"{path}: contains no case; write a list of cases, or one JSON object on each line")
    return files


def check_lines(path: Path, lines: Iterable[bytes], earlier: Iterable[Case] = ()) -> CheckedFile:
    """Strict Stage 1 verdicts on lines of JSON, reported as those of `path`; empty lines are skipped."""
    records = (record_of(path, number, line) for number, line in enumerate(lines, start=1) if line.strip())
    return _Check(True, _reader(True), earlier).file(path, records)


def _reader(strict: bool, twins_of: Iterable[Case] | None = None) -> ToCase:
    if twins_of is None:
        return lambda record: house_case(record, _SUITE) if strict else open_case(record, _SUITE)
    read_twin = twin_reader(_SUITE, twins_of)
    return (lambda record: in_own_file(record, read_twin(record))) if strict else read_twin


class _Check:
    """A check of one file after the other, which knows what it has seen before."""

    def __init__(self, strict: bool, to_case: ToCase, earlier: Iterable[Case]) -> None:
        self._strict, self._to_case = strict, to_case
        self._ids: dict[str, Record] = {}
        self._contents: dict[tuple[object, ...], Record | str] = {
            self._content(case): f"case {case.case_id}, taken in earlier" for case in earlier
        }

    def file(self, path: Path, records: Iterable[Record]) -> CheckedFile:
        """Check the records of a file."""
        found = CheckedFile(path, self._strict)
        for record in records:
            self._take(record, found)
        return found

    def _take(self, record: Record, found: CheckedFile) -> None:
        found.checked += 1
        try:
            if record.error is not None:
                raise record.error
            case = self._to_case(record)
        except CaseError as error:
            objection = _objection(record, _id_of(record.given), error.reason, f"{error.field}: {error.problem}")
            found.objections.append(objection)
            return
        found.with_gold += case.gold_rows is not None
        found.with_states += case.states is not None
        reasons = [(rejection.reason, rejection.detail) for rejection in rejections(case, self._strict)]
        reasons += self._repetitions(record, case)
        found.objections += [_objection(record, case.case_id, *reason) for reason in reasons]
        if not reasons:
            found.admitted.append(case)

    def _repetitions(self, record: Record, case: Case) -> Iterator[tuple[str, str]]:
        first = self._ids.setdefault(case.case_id, record)
        if first is not record:
            yield "duplicate-id", f"first used in {_named(first, record)}"
        like = self._contents.setdefault(self._content(case), record)
        if like is not record:
            same = "facts and mutations" if self._strict else "facts, mutations and question"
            yield "duplicate-content", f"same {same} as {_named(like, record)}"

    def _content(self, case: Case) -> tuple[object, ...]:
        """Equal for cases that are the same test: facts in any order, and mutations, in words that look alike.

        Another question makes another test, but not one that this project takes in.
        """
        mutations = tuple((m.op, _plain(m.query), _plain(m.text or "")) for m in case.mutations)
        question = "" if self._strict else _plain(case.final_query)
        return (tuple(sorted(_plain(fact) for fact in case.setup_facts)), mutations, question)


def _objection(record: Record, case_id: str, reason: str, detail: str) -> Objection:
    return Objection(record.line, " ".join(case_id.split()), reason, one_line(detail))


def _named(place: Record | str, seen_from: Record) -> str:
    if isinstance(place, str):
        return place
    line = f"line {place.line}"
    return line if place.path == seen_from.path else f"{line} of {place.path.name}"


def _id_of(given: Any) -> str:
    name = given.get("case_id", given.get("id")) if isinstance(given, dict) else None
    return name if isinstance(name, str) and name.strip() else NO_ID


def _plain(text: str) -> str:
    """The words of a text as people see them, without punctuation and other signs between and around them."""
    seen = as_seen(text)
    return " ".join("".join(" " if unicodedata.category(each)[0] in "PS" else each for each in seen).split())
