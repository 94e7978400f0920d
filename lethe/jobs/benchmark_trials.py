"""Answers of one system to a benchmark's questions, as rows of `lethe.schemas.CROSSEVAL` and `CROSSEVAL_HISTORIES`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any

from forgeteval.cases.history import History, Question
from forgeteval.run.replay import Answer, Replay
from lethe.config.configurations import Configuration
from lethe.crosseval.scoring import score_answer
from lethe.jobs.kept import FinishedTrial
from lethe.parquet import Row

Rows = list[dict[str, Any]]
_UNSCORED = {
    **dict.fromkeys(("recall_rate", "forgetting_rate", "ndcg")),
    **dict.fromkeys(("missing", "leaked", "gold_ranks"), ()),
    "verdict": "error",
}


def rows_of_benchmark(
    benchmark: str, system: Configuration, histories: Sequence[History], finished: Sequence[FinishedTrial]
) -> tuple[Rows, Rows]:
    """Finished trials of a benchmark as rows of CROSSEVAL and of CROSSEVAL_HISTORIES, in the histories' order.

    A mutation that the system cannot express is counted; the new memory of a supersede is inscribed all the same.
    """
    key = {"benchmark": benchmark, "system": system.system, "model": system.model}
    answers = [
        {**key, "history": history.name, **row}
        for history, trial in zip(histories, finished, strict=True)
        for row in _answer_rows(history, trial.replay)
    ]
    return answers, [{**key, **trial.columns()} for trial in finished]


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

    def beyond(self, recalled: Sequence[str]) -> list[str]:
        """The recalled ids that `of` gives for no texts, or for none so often."""
        held = Counter(chain.from_iterable(self._ids.values()))
        return sorted(Counter(filter(None, recalled)) - held)
