"""Recorded answers of chat models, which are part of the project: the answers, the index of their runs, what they used.

A folder holds a Parquet file for each model, and two CSV files.
"""

import functools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from forgeteval.csv_cells import read_lines, write_lines
from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.json_records import parse_json
from lethe.fingerprints import value_fingerprint
from lethe.parquet import Row, read_rows
from lethe.schemas import RECORDED_ANSWERS

INDEX_FILE, USAGE_FILE = "recorded.csv", "usage.csv"
JUDGE = "judge"
"""The system of a run in which a judge was asked."""


@dataclass(frozen=True, slots=True, order=True)
class RecordedRun:
    """One line of the index: a run whose every answer is recorded."""

    model: str
    suite: str
    system: str
    cases: int
    repetitions: int


@dataclass(frozen=True, slots=True, order=True)
class RecordedUsage:
    """What the calls of a run for one purpose came to, in one repetition of each case.

    Attributes:
        purpose: a task of the hook, with `_repair` for its second attempt; `system` or `judge`.
        answer_ms: sum of the answers' times.
    """

    model: str
    suite: str
    system: str
    purpose: str
    calls: float
    tokens_in: float
    tokens_out: float
    answer_ms: float


def answers_path(folder: Path, model: str) -> Path:
    """The file of a model's answers in a folder of recorded ones."""
    return folder / f"{model}.parquet"


def recorded_row(answered: Row, response: str, without_quotes: Callable[[str], str] | None = None) -> Row:
    """A row of `lethe.schemas.RECORDED_ANSWERS`.

    Args:
        answered: its columns, besides answer and checksum; `request` is JSON of what the endpoint was sent.
        response: the chat completion, as JSON.
        without_quotes: what is kept of a text, where the request quotes a case of other authors; it is left out then.
    """
    message, request = json.loads(response)["choices"][0]["message"], answered["request"]
    if without_quotes is not None:
        request, message = "", {"role": "assistant", "content": without_quotes(message["content"])}
    row = {**answered, "request": request, "answer": json.dumps(message, ensure_ascii=False)}
    return {**row, "checksum": _checksum(row)}


def read_answers(path: Path) -> list[Row]:
    """The rows of a file of `lethe.schemas.RECORDED_ANSWERS`.

    Raises:
        UserError: where it cannot be read, an answer is not as it was recorded, or is not one.
    """
    rows: list[Row] = [*read_rows(path, RECORDED_ANSWERS)]
    for row in rows:
        if fault := _fault(row):
            remedy = "restore the file, or record its runs again"
            raise UserError(f"{path}: the answer {row['key']:.80} {fault}; {remedy}")
    return rows


def _fault(row: Row) -> str:
    if _checksum(row) != row["checksum"]:
        return "is not as it was recorded"
    for name in ("tokens_in", "tokens_out", "latency_ms"):
        if row[name] is not None and not 0 <= row[name] <= _MOST:
            return f"has {name} below 0 or above {_MOST:,}"
    try:
        said = parse_json(row["answer"])
    except (ValueError, RecursionError) as error:
        return f"is not JSON ({error})"
    return "" if isinstance(said, dict) else "is not a JSON object"


def read_index(folder: Path) -> list[RecordedRun]:
    """The runs whose answers a folder holds; none where there is no index.

    Raises:
        UserError: naming the line that is none.
    """
    path = folder / INDEX_FILE
    return list(_read_index(path, path.stat().st_mtime_ns)) if path.is_file() else []


@functools.cache
def _read_index(path: Path, _written: int) -> tuple[RecordedRun, ...]:
    return tuple(_read(path, RecordedRun, "the index", 3))


def read_usage(folder: Path) -> list[RecordedUsage]:
    """What a folder of recorded answers says of its runs; nothing where it says nothing.

    Raises:
        UserError: naming the line that is none.
    """
    path = folder / USAGE_FILE
    return _read(path, RecordedUsage, "recorded usage", 4) if path.is_file() else []


def write_index(folder: Path, runs: Iterable[RecordedRun]) -> None:
    """Write the index of a folder, sorted."""
    write_lines(folder / INDEX_FILE, RecordedRun, runs)


def write_usage(folder: Path, rows: Iterable[RecordedUsage]) -> None:
    """Write the file of a folder, sorted."""
    write_lines(folder / USAGE_FILE, RecordedUsage, rows)


_Line = TypeVar("_Line", RecordedRun, RecordedUsage)
_MOST = 10**15
"""Of any number in these files: tokens, calls, milliseconds."""


def _read(path: Path, kind: type[_Line], name: str, key: int) -> list[_Line]:
    """The lines of a CSV file whose columns are the fields of a dataclass: texts, and numbers from 0.

    Args:
        key: how many fields, the first ones, no two lines share.
    """

    def record(line: Mapping[str, str]) -> _Line:
        cells: dict[str, Any] = {field.name: field.type(line[field.name]) for field in fields(kind)}  # type: ignore[operator]
        if any(isinstance(cell, int | float) and not 0 <= cell <= _MOST for cell in cells.values()):
            raise ValueError(f"a number below 0 or above {_MOST:,}")
        if any("_" in line[field.name] for field in fields(kind) if field.type is not str):
            raise ValueError("a number that is not written in digits")
        if Path(cells["model"]).name != cells["model"]:
            raise ValueError("a model whose name is that of no file")
        if 0 in (cells.get("cases"), cells.get("repetitions")):
            raise ValueError("a run of no case")
        return kind(**cells)

    if not read_file(path).endswith(b"\n"):
        raise UserError(f"{path}: its last line is cut off; restore the file")
    found = list(read_lines(path, record, name, "restore the file"))
    shared = Counter(tuple(str(getattr(line, field.name)) for field in fields(kind)[:key]) for line in found)
    for named, lines in shared.items():
        if lines > 1:
            raise UserError(f"{path}: {', '.join(named)} has {lines} lines; restore the file")
    return found


def _checksum(row: Row) -> str:
    return value_fingerprint([row[column.name] for column in RECORDED_ANSWERS.columns if column.name != "checksum"])
