"""LongMemEval-S at session granularity (paper, appendix "LongMemEval-S setup and per-type results").

`longmemeval_s.json` and `longmemeval_s_cleaned.json` have one format; the cleaned form holds other sessions, and in
the original one turns may carry `has_answer`. One question, one haystack of sessions, one history.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.cases.history import History, Operation, Question
from lethe.crosseval.reading_files import read_json, unexpected


def load_longmemeval(path: Path) -> list[History]:
    """One history for each question, in the file's order.

    A session's memory is its user turns, a line each; a session without any is left out. The gold rows are
    `answer_session_ids`, as far as the haystack holds them.

    Raises:
        UserError: where the file is not in the released format.
    """
    entries = read_json(path)
    if not isinstance(entries, list):
        raise unexpected(path, "no list of questions")
    return [_history(path, number, entry) for number, entry in enumerate(entries)]


def _history(path: Path, number: int, entry: Mapping[str, Any]) -> History:
    try:
        sessions = list(zip(entry["haystack_session_ids"], entry["haystack_sessions"], strict=True))
        memories = [(session_id, _user_text(turns)) for session_id, turns in sessions]
        gold = set(entry["answer_session_ids"])
        question = Question(
            entry["question_id"],
            entry["question_type"],
            entry["question"],
            "rows",
            gold_rows=tuple(dict.fromkeys(session_id for session_id, text in memories if text and session_id in gold)),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise unexpected(path, f"question {number} is not as released ({error!r})") from error
    operations = (Operation("inscribe", None, text, session_id) for session_id, text in memories if text)
    return History(question.question_id, (*operations, question))


def _user_text(turns: Sequence[Mapping[str, Any]]) -> str:
    """The user's turns, a line each, without those that say nothing: null or blank."""
    said = [turn["content"] for turn in turns if turn["role"] == "user" and turn["content"] is not None]
    if not all(isinstance(content, str) for content in said):
        raise TypeError("the content of a turn is no text")
    return "\n".join(content for content in said if content.strip())
