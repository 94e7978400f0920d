"""LongMemEval-S at session granularity (paper, appendix "LongMemEval-S setup and per-type results").

`longmemeval_s.json` and `longmemeval_s_cleaned.json` have one format; the cleaned form holds other sessions, and in
the original one turns may carry `has_answer`. One question, one haystack of sessions, one history.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from forgeteval.cases.history import History, Operation, Question
from lethe.crosseval.reading_files import Released, Text, read_released, says_something, unexpected


class _Turn(Released):
    role: Literal["user", "assistant", "system"]
    content: str | None


class _Entry(Released):
    question_id: Text
    question_type: Text
    question: Text
    haystack_session_ids: list[Text]
    haystack_sessions: list[list[_Turn]]
    answer_session_ids: list[Text]


def load_longmemeval(path: Path) -> list[History]:
    """One history for each question, in the file's order.

    A session's memory is its user turns, a line each; a session without any is left out. The gold rows are
    `answer_session_ids`, as far as the haystack holds them.

    Raises:
        UserError: where the file is not in the released format.
    """
    return [_history(path, number, entry) for number, entry in enumerate(read_released(path, list[_Entry]))]


def _history(path: Path, number: int, entry: _Entry) -> History:
    if len(entry.haystack_session_ids) != len(entry.haystack_sessions):
        raise unexpected(path, f"[{number}]: haystack_session_ids and haystack_sessions differ in length")
    sessions = zip(entry.haystack_session_ids, map(_user_text, entry.haystack_sessions), strict=True)
    memories = [(session_id, text) for session_id, text in sessions if text]
    gold = dict.fromkeys(session_id for session_id, _ in memories if session_id in entry.answer_session_ids)
    question = Question(entry.question_id, entry.question_type, entry.question, "rows", gold_rows=tuple(gold))
    operations = (Operation("inscribe", None, text, session_id) for session_id, text in memories)
    return History(question.question_id, (*operations, question))


def _user_text(turns: Sequence[_Turn]) -> str:
    """The user's turns, a line each, without those that say nothing: null, blank, or of characters that do not show."""
    said = (turn.content for turn in turns if turn.role == "user" and turn.content is not None)
    return "\n".join(content for content in said if says_something(content))
