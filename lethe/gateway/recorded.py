"""Recorded answers of chat models, which are part of the project: what a model that is not switched on says."""

import functools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from forgeteval.csv_cells import read_lines, write_lines
from forgeteval.errors import UserError
from lethe.fingerprints import value_fingerprint
from lethe.gateway.answers import Answer
from lethe.parquet import Row, read_rows
from lethe.schemas import RECORDED_ANSWERS

INDEX_FILE = "recorded.csv"


@dataclass(frozen=True, slots=True, order=True)
class RecordedRun:
    """One line of the index: a run whose every answer is recorded."""

    model: str
    suite: str
    system: str
    cases: int
    repetitions: int


class RecordedAnswers:
    """Answers by key, of some models.

    Args:
        rows: of `lethe.schemas.RECORDED_ANSWERS`.
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._by_key = {row["key"]: row for row in rows}

    @classmethod
    def of(cls, folder: Path, models: Iterable[str]) -> "RecordedAnswers":
        """The answers of those of the models that have any in a folder.

        Raises:
            UserError: where a file there cannot be read, or an answer is not as it was recorded.
        """
        paths = (answers_path(folder, model) for model in models)
        return cls(row for path in paths if path.is_file() for row in read_answers(path))

    def find(self, key: str) -> Answer | None:
        """The answer recorded under a key, if any."""
        row = self._by_key.get(key)
        return None if row is None else _answer(row)


NOTHING_RECORDED = RecordedAnswers()


def answers_path(folder: Path, model: str) -> Path:
    """The file of a model's answers in a folder of recorded ones."""
    return folder / f"{model}.parquet"


def recorded_row(
    key: str,
    task: str,
    request: str,
    answer: Answer,
    provenance: Mapping[str, str],
    without_quotes: Callable[[str], str] | None = None,
) -> Row:
    """A row of `lethe.schemas.RECORDED_ANSWERS`.

    Args:
        request: JSON of what the endpoint was sent.
        provenance: the columns weights_sha256 and server.
        without_quotes: what is kept of a text, where the request quotes a case of other authors; it is left out then.
    """
    message = json.loads(answer.response)["choices"][0]["message"]
    if without_quotes is not None:
        request, message = "", {"role": "assistant", "content": without_quotes(message["content"])}
    row = {
        "key": key,
        "task": task,
        "request": request,
        "answer": json.dumps(message, ensure_ascii=False),
        "finish_reason": answer.finish_reason,
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
        "latency_ms": answer.latency_ms,
        **provenance,
    }
    return {**row, "checksum": _checksum(row)}


def read_answers(path: Path) -> list[Row]:
    """The rows of a file of `lethe.schemas.RECORDED_ANSWERS`.

    Raises:
        UserError: where it cannot be read, or an answer is not as it was recorded.
    """
    rows: list[Row] = [*read_rows(path, RECORDED_ANSWERS)]
    for row in rows:
        if _checksum(row) != row["checksum"]:
            remedy = "restore the file, or record its runs again"
            raise UserError(f"{path}: the answer {row['key']} is not as it was recorded; {remedy}")
    return rows


def read_index(folder: Path) -> list[RecordedRun]:
    """The runs whose answers a folder holds; none where there is no index.

    Raises:
        UserError: naming the line that is none.
    """
    path = folder / INDEX_FILE
    return list(_read_index(path, path.stat().st_mtime_ns)) if path.is_file() else []


@functools.cache
def _read_index(path: Path, _written: int) -> tuple[RecordedRun, ...]:
    found: dict[tuple[str, ...], RecordedRun] = {}
    for run in read_lines(path, _recorded_run, "the index", "restore the file"):
        key = (run.model, run.suite, run.system)
        if key in found:
            raise UserError(f"{path}: {', '.join(key)} has two lines; restore the file")
        found[key] = run
    return tuple(found.values())


def _recorded_run(line: Mapping[str, str]) -> RecordedRun:
    cases, repetitions = int(line["cases"]), int(line["repetitions"])
    if cases < 0 or repetitions < 0:
        raise ValueError("fewer than none")
    return RecordedRun(line["model"], line["suite"], line["system"], cases, repetitions)


def write_index(folder: Path, runs: Iterable[RecordedRun]) -> None:
    """Write the index of a folder, sorted."""
    write_lines(folder / INDEX_FILE, RecordedRun, runs)


def _checksum(row: Row) -> str:
    return value_fingerprint([row[column.name] for column in RECORDED_ANSWERS.columns if column.name != "checksum"])


def _answer(row: Row) -> Answer:
    choice = {"index": 0, "message": json.loads(row["answer"]), "finish_reason": row["finish_reason"]}
    used = {"prompt_tokens": row["tokens_in"], "completion_tokens": row["tokens_out"]}
    body = {"id": "recorded", "object": "chat.completion", "choices": [choice], "usage": used}
    numbers = {name: row[name] for name in ("finish_reason", "tokens_in", "tokens_out", "latency_ms")}
    return Answer(json.dumps(body), **numbers)
