"""Answers of one system to a benchmark's questions, as rows of `lethe.schemas.CROSSEVAL` and `CROSSEVAL_HISTORIES`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from forgeteval.cases.history import History, Question
from forgeteval.run.replay import Answer, Replay
from lethe.config.configurations import Configuration
from lethe.crosseval.scoring import score_answer
from lethe.jobs.session import Session, Workload
from lethe.parquet import Row, read_rows
from lethe.schemas import CROSSEVAL, CROSSEVAL_HISTORIES

Rows = list[dict[str, Any]]
_UNSCORED = {
    **dict.fromkeys(("recall_rate", "forgetting_rate", "ndcg")),
    **dict.fromkeys(("missing", "leaked", "gold_ranks"), ()),
    "verdict": "error",
}


@contextmanager
def run_benchmark(
    session: Session, benchmark: str, histories: Sequence[History], *, hybrid: bool = False
) -> Iterator[tuple[Rows, Rows]]:
    """Run every history of a benchmark on one system; its rows are to be written in the block.

    A mutation that the system cannot express is counted; the new memory of a supersede is inscribed all the same.

    Args:
        hybrid: a system that has a search of its own besides the paper's recall is asked by that.

    Yields:
        Rows of CROSSEVAL and of CROSSEVAL_HISTORIES, in the histories' order.

    Raises:
        UserError: see `Session.run`.
    """
    key = {"benchmark": benchmark, "system": session.system.system, "model": session.system.model}
    with session.run(Workload(benchmark, "history", histories, hybrid=hybrid)) as finished:
        answers = [
            {**key, "history": history.name, **row}
            for history, trial in zip(histories, finished, strict=True)
            for row in _answer_rows(history, trial.replay)
        ]
        yield answers, [{**key, **trial.columns()} for trial in finished]


def read_equal_run(
    system: Configuration, histories: Sequence[History], answers: Path, replays: Path
) -> tuple[Rows, Rows]:
    """The rows of a run by another configuration, as those of a system that would have run in the same way.

    Raises:
        UserError: where a file is missing or of another kind.
    """
    names, key = {history.name for history in histories}, {"system": system.system, "model": system.model}

    def own(path: Path, schema: pa.Schema) -> Rows:
        return [{**row, **key} for row in read_rows(path, schema) if row["history"] in names]

    return own(answers, CROSSEVAL), own(replays, CROSSEVAL_HISTORIES)


def _answer_rows(history: History, replayed: Replay) -> Iterator[dict[str, Any]]:
    """A row for each question; one that was not asked broke with the replay."""
    answers = {answer.question_id: answer for answer in replayed.answers}
    ids = RowIds(history)
    for question in history.questions:
        answer = answers.get(question.question_id, Answer(question.question_id, error=replayed.error))
        texts = answer.recalled or []
        recalled = ids.of(texts) if question.criterion == "rows" else texts
        yield {
            "question_id": question.question_id,
            "part": question.part,
            **_columns(question, recalled, answer.error),
            "recalled": recalled,
            "recall_ms": answer.recall_ms,
            "error": answer.error,
        }


def judged_again(answer: Row, question: Question) -> dict[str, Any]:
    """A row of CROSSEVAL as what it recalled and its question let it be."""
    return {**answer, "part": question.part, **_columns(question, answer["recalled"], answer["error"])}


def _columns(question: Question, recalled: Sequence[str], error: str | None) -> dict[str, Any]:
    """The columns that follow from an answer; one that broke has no verdict."""
    return _scored(question, recalled) if error is None else _UNSCORED


def _scored(question: Question, recalled: Sequence[str]) -> dict[str, Any]:
    outcome = asdict(score_answer(question, recalled))
    return {name: list(value) if isinstance(value, tuple) else value for name, value in outcome.items()}


class RowIds:
    """The data set's ids of a history's memories by text; equal texts give their ids in the order of the history."""

    def __init__(self, history: History) -> None:
        self._ids: dict[str, list[str]] = {}
        for operation in history.operations:
            if operation.text is not None and operation.row_id is not None:
                self._ids.setdefault(operation.text, []).append(operation.row_id)

    def of(self, texts: Sequence[str]) -> list[str]:
        """The id of each recalled text; an empty one for a text that is none of the history's memories."""
        left = {text: iter(self._ids.get(text, ())) for text in texts}
        return [next(left[text], "") for text in texts]
