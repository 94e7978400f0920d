"""The histories of other authors' benchmarks as the rows of Parquet tables that the workflow keeps them in."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from forgeteval.cases.history import History, Operation, Question
from forgeteval.json_records import from_json
from lethe.parquet import read_rows
from lethe.schemas import CROSSEVAL_OPERATIONS, CROSSEVAL_QUESTIONS

_STORED = ("question_id", "part", "criterion", "required", "forbidden", "gold_rows", "evidence")
"""Fields of a question that are columns of the same name."""


def operation_rows(benchmark: str, histories: Sequence[History]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.CROSSEVAL_OPERATIONS`."""
    return [
        {"benchmark": benchmark, "history": history.name, "position": position, **_fields(operation)}
        for history in histories
        for position, operation in enumerate(history.operations)
    ]


def _fields(operation: Operation) -> dict[str, Any]:
    return {name: getattr(operation, name) for name in ("op", "query", "text", "row_id")}


def size_rows(
    benchmark: str, histories: Sequence[History], sources: Mapping[str, int], released: bool
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.CROSSEVAL_SIZES`.

    Args:
        sources: as of `lethe.crosseval.datasets.sources`.
        released: the data are to the byte those that their authors released.
    """
    return [
        {
            "benchmark": benchmark,
            "history": history.name,
            "sources": sources[history.name],
            "operations": len(history.operations),
            "questions": len(history.questions),
            "released": released,
        }
        for history in histories
    ]


def question_rows(benchmark: str, histories: Sequence[History]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.CROSSEVAL_QUESTIONS`."""
    return [
        {"benchmark": benchmark, "history": history.name, "question": question.text, **_stored(question)}
        for history in histories
        for question in history.questions
    ]


def _stored(question: Question) -> dict[str, Any]:
    fields = {name: value for name, value in asdict(question).items() if name in _STORED}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}


def histories_from_rows(
    operations: Sequence[Mapping[str, Any]], questions: Sequence[Mapping[str, Any]]
) -> list[History]:
    """The reverse of `operation_rows` and `question_rows`, in their order; questions follow the operations."""
    steps: dict[str, list[Operation]] = {}
    for row in operations:
        steps.setdefault(row["history"], []).append(Operation(row["op"], row["query"], row["text"], row["row_id"]))
    asked: dict[str, list[Question]] = {}
    for row in questions:
        asked.setdefault(row["history"], []).append(question_from_row(row))
    return [History(name, (*steps[name], *asked.get(name, ()))) for name in steps]


def question_from_row(row: Mapping[str, Any]) -> Question:
    """One row of `lethe.schemas.CROSSEVAL_QUESTIONS` as a Question."""
    return from_json(Question, {"text": row["question"], **{name: row[name] for name in _STORED}})


def read_histories(operations: Path, questions: Path, only: Collection[str] | None = None) -> list[History]:
    """The histories, or those named in `only`, in the data set's order.

    Raises:
        UserError: where a file is missing or of another kind.
    """
    found = histories_from_rows(read_rows(operations, CROSSEVAL_OPERATIONS), read_rows(questions, CROSSEVAL_QUESTIONS))
    return [history for history in found if only is None or history.name in only]


def benchmark_texts(operations: Path, questions: Path) -> dict[str, list[str]]:
    """The texts of a benchmark's histories, for `lethe.jobs.embed_job`."""
    return {"vectors": [text for history in read_histories(operations, questions) for text in history.texts()]}
