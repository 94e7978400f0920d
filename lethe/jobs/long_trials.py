"""Trials of long histories: the answers of one configuration, as rows of `lethe.schemas.LONG_ANSWERS`."""

from collections.abc import Iterator, Sequence
from typing import Any

from forgeteval.cases.history import History
from forgeteval.run.replay import Answer
from lethe.config.configurations import Configuration
from lethe.jobs.kept import FinishedTrial

Rows = list[dict[str, Any]]


def rows_of_long(
    system: Configuration, histories: Sequence[History], finished: Sequence[FinishedTrial]
) -> tuple[Rows, Rows]:
    """Finished trials of long histories as rows of LONG_ANSWERS and of LONG_REPLAYS, in the histories' order.

    A mutation that the system cannot express is counted; the new memory of a supersede is inscribed all the same.
    """
    key = {"system": system.system, "model": system.model}
    by_name = {history.name: history for history in histories}
    answers = [{**key, **row} for trial in finished for row in _answer_rows(by_name[trial.history], trial)]
    return answers, [{**key, **trial.columns()} for trial in finished]


def _answer_rows(history: History, trial: FinishedTrial) -> Iterator[dict[str, Any]]:
    """A row for each question; one that was not asked broke with the replay."""
    answers = {answer.question_id: answer for answer in trial.replay.answers}
    for question in history.questions:
        answer = answers.get(question.question_id, Answer(question.question_id, error=trial.replay.error))
        yield {
            "history": history.name,
            "question_id": question.question_id,
            "recalled": answer.recalled or [],
            "present": answer.present,
            "recall_ms": answer.recall_ms,
            "error": answer.error,
        }
