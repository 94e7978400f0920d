"""Reading cases, ours and anybody's: JSON Lines, a JSON list, YAML, or a folder of such files."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from forgeteval.cases.case import UNCATEGORISED, Case
from forgeteval.cases.interchange import (
    CaseError,
    case_from_json,
    content_of,
    decode_json,
    json_lines,
    require_unique_ids,
)
from forgeteval.cases.twins import twin_from_json
from forgeteval.cases.yaml_records import name_of, read_records
from forgeteval.errors import UserError
from forgeteval.foreign import reading

_YAML = (".yaml", ".yml")
_SUFFIXES = (".json", ".jsonl", ".ndjson", *_YAML)
_OTHER_NAME = re.compile(r"\.(?:jsonlines|(?:json|jsonl|ndjson|ya?ml)\.(?:gz|bz2|xz|zst|zip))$", re.IGNORECASE)
"""Of files of cases that would be passed over in a folder."""
_ITEM, _OBJECT = re.compile(r"[^\s,]"), re.compile(r"\S")
"""Where the next item of a JSON list begins, or its end; where the next of several objects does."""


@dataclass(frozen=True, slots=True)
class Record:
    """What stands in a file as one case.

    Attributes:
        line: where it begins, from 1.
        place: which of those that begin there, from 1.
        given: what is written there, decoded; None where that cannot be.
        error: why it cannot be decoded; None where it can.
    """

    path: Path
    line: int
    given: Any
    error: CaseError | None = None
    place: int = 1

    @property
    def where(self) -> str:
        """File and line, and what a record of a YAML file calls itself."""
        return f"{self.path}:{self.line}: {name_of(self.given)}" if self.in_yaml else f"{self.path}:{self.line}"

    @property
    def in_yaml(self) -> bool:
        """Whether it stands in a YAML file, whose name is the category of a case that names none."""
        return _suffix(self.path) in _YAML


ToCase = Callable[[Record], Case]
"""Makes a case of a record; it raises CaseError."""


def read_cases(path: Path, suite: str) -> list[Case]:
    """The cases of a file, or of the files of a folder by name, as cases of `suite`.

    A `.yaml` file is a list of cases; any other is a JSON list, or holds an object on each line. Of a case,
    `setup_facts`, `mutations`, `final_query` and one of `must_contain` and `must_not_contain` are enough.

    Raises:
        CaseError: at the first malformed case, naming file, line and field.
        UserError: if a file cannot be read, or there is no case.
    """
    return _cases(path, lambda record: open_case(record, suite))


def read_twins(path: Path, suite: str, cases: Iterable[Case]) -> list[Case]:
    """The same of twins.

    Args:
        cases: those of the suite whose twins they are.
    """
    return _cases(path, twin_reader(suite, cases))


def open_case(record: Record, suite: str) -> Case:
    """The case of a record; if need be it is named after its file and line, and its category after a YAML file.

    The second on a line has a 2 behind that, and so on.
    """
    default_id = f"{record.path.stem}-{record.line}" + (f"-{record.place}" if record.place > 1 else "")
    category = record.path.stem if record.in_yaml else UNCATEGORISED
    return case_from_json(record.given, suite, record.where, default_id=default_id, default_category=category)


def twin_reader(suite: str, cases: Iterable[Case]) -> ToCase:
    """What makes of a record the twin of one of `cases`."""
    by_id = {case.case_id: case for case in cases}
    return lambda record: twin_from_json(record.given, suite, by_id, record.where)


def case_files(path: Path) -> list[Path]:
    """The files of cases in a folder, sorted by name; a file itself.

    Raises:
        UserError: if the folder contains none, a folder of such files, or one that is packed.
    """
    if not path.is_dir():
        return [path]
    shown = sorted(each for each in path.iterdir() if not each.name.startswith("."))
    for folder in shown:
        if folder.is_dir() and any(map(may_hold_cases, folder.iterdir())):
            remedy = "give each folder by itself, or move the files into one"
            raise UserError(f"{path}: the folder {folder.name} in it has files of cases too; {remedy}")
    if (other := next((file for file in shown if _OTHER_NAME.search(file.name)), None)) is not None:
        raise UserError(f"{other}: is not read by this name; unpack it, or rename it to .jsonl, or move it away")
    files = [file for file in shown if may_hold_cases(file)]
    if not files:
        raise UserError(f"{path}: contains no file of cases ({', '.join(_SUFFIXES)})")
    return files


def may_hold_cases(file: Path) -> bool:
    """Whether a file in a folder of cases is read as one of them, by its name."""
    return _suffix(file) in _SUFFIXES


def _suffix(path: Path) -> str:
    return path.suffix.lower()


def records_of(path: Path) -> Iterator[Record]:
    """Every record of a file, in order, those that cannot be decoded too.

    Raises:
        UserError: if the file cannot be read, or is not YAML.
    """
    reading(str(path))
    if _suffix(path) in _YAML:
        return _placed(Record(path, line, given) for line, given in read_records(path))
    content = content_of(path)
    lines = [*json_lines(content)]
    begins = lines[0][1].strip() if lines else b""
    if begins.startswith(b"[") or begins == b"{" or (_is_one(content) and not _is_one(begins)):
        return _placed(_over_lines(path, content))
    return (record_of(path, number, line) for number, line in lines)


def _placed(records: Iterable[Record]) -> Iterator[Record]:
    """The records, each with its place among those that begin on its line."""
    for _, on_a_line in groupby(records, lambda record: record.line):
        yield from (replace(record, place=place) for place, record in enumerate(on_a_line, start=1))


def _is_one(content: bytes) -> bool:
    """Whether it is one JSON text, as an object over many lines is."""
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True


def record_of(path: Path, number: int, text: bytes) -> Record:
    """The record of a JSON text that begins on line `number`."""
    try:
        return Record(path, number, decode_json(text, f"{path}:{number}"))
    except CaseError as error:
        return Record(path, number, None, error)


def _over_lines(path: Path, content: bytes) -> Iterator[Record]:
    """The records of a JSON list, or of objects over many lines; what is broken is one record with its error."""
    is_list = content.lstrip().startswith(b"[")
    decoder, line, seen = json.JSONDecoder(), 1, 0
    try:
        text = content.decode("utf-8")
        if is_list:
            json.loads(text)
        begins, at = (_ITEM, text.index("[") + 1) if is_list else (_OBJECT, 0)
        while (item := begins.search(text, at)) and not (is_list and item[0] == "]"):
            line, seen = line + text.count("\n", seen, item.start()), item.start()
            _, at = decoder.raw_decode(text, seen)
            yield record_of(path, line, text[seen:at].encode())
    except UnicodeDecodeError as error:
        yield record_of(path, 1 + content.count(b"\n", 0, error.start), content)
    except json.JSONDecodeError as error:
        problem = f"not {'a JSON list' if is_list else 'JSON'} ({error.msg} at column {error.colno})"
        yield Record(path, error.lineno, None, CaseError(f"{path}:{error.lineno}", "line", problem, "malformed-json"))
    except (ValueError, RecursionError):
        yield record_of(path, line, content)


def _cases(path: Path, to_case: ToCase) -> list[Case]:
    places = []
    for file in case_files(path):
        for record in records_of(file):
            if record.error is not None:
                raise record.error
            places.append((record.where, to_case(record)))
    if not places:
        raise UserError(f"{path}: contains no case; a suite needs at least one")
    require_unique_ids((where, case.case_id) for where, case in places)
    return [case for _, case in places]
