"""LoCoMo: long conversations, with the turns that hold the answer to each question; a history per conversation.

Which turns a question needs is known, so that recall is measured without a judge.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from forgeteval.cases.history import History, Operation, Question
from forgeteval.errors import UserError
from lethe.crosseval.reading_files import Released, Text, read_released, unexpected

FIRST_FIVE = ("conv-26", "conv-30", "conv-41", "conv-42", "conv-43")
"""The conversations that Lethe's recall was chosen on; it was never looked at on the others."""
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_TURN, _BETWEEN = re.compile(r"D:?([0-9]{1,9}):([0-9]{1,9})"), re.compile(r"[;\s]+")
"""Some evidence names several turns, or writes them as D:1:2 or D1:02."""
_NO_TURN = {("conv-42", "D"), ("conv-42", "D10:19"), ("conv-47", "D4:36")}
"""The evidence in the released file that names no turn of its conversation."""
_SESSION, _DATE = re.compile(r"session_\d+"), re.compile(r"session_\d+_date_time")


def _sessions(conversation: Any) -> Any:
    """A conversation without its speakers and dates; ValueError where it may hold more than its sessions in order."""
    if not isinstance(conversation, dict):
        return conversation
    sessions = {key: value for key, value in conversation.items() if _SESSION.fullmatch(key)}
    for key in conversation:
        if "session" in key.casefold() and key not in sessions and not _DATE.fullmatch(key):
            raise ValueError(f"has the unknown key {key!r:.80}")
    for number, key in enumerate(sessions, 1):
        if key != f"session_{number}":
            raise ValueError(f"has {key:.80} where session_{number} should be")
    return sessions


class _Turn(Released):
    dia_id: Text
    speaker: Text
    text: Text
    blip_caption: Text | None = None


class _Asked(Released):
    question: Text
    category: Annotated[int, Field(ge=min(CATEGORIES), le=max(CATEGORIES))]
    evidence: list[str]


class _Conversation(Released):
    sample_id: Text
    conversation: Annotated[dict[str, Annotated[list[_Turn], Field(min_length=1)]], BeforeValidator(_sessions)]
    session_summary: dict[str, Any] | None = None
    qa: list[_Asked]


def load_locomo(path: Path, conversations: Collection[str]) -> list[History]:
    """One history for each of `conversations`, in the file's order.

    A turn is a memory: `SPEAKER: TEXT`, and what a picture of it shows. The gold rows of a question are the turns of
    its evidence.

    Raises:
        UserError: where the file is not in the released format, or lacks a conversation or a turn that is evidence.
    """
    entries = read_released(path, list[_Conversation])
    missing = set(conversations) - {entry.sample_id for entry in entries}
    if missing:
        known = ", ".join(entry.sample_id for entry in entries)
        wrong = f"no conversation {min(missing)!r:.80} (crosseval.locomo_conversations)"
        raise UserError(f"{path}: {wrong}; it has {known:.300}")
    return [_history(path, entry) for entry in entries if entry.sample_id in conversations]


def session_of(turn: str) -> str:
    """The session of a turn, by its name."""
    return turn.partition(":")[0]


def _history(path: Path, entry: _Conversation) -> History:
    sessions = entry.conversation
    if (summed := len(entry.session_summary or sessions)) != len(sessions):
        raise unexpected(path, f"{entry.sample_id}: {len(sessions)} sessions, and {summed} in session_summary")
    for number, session in enumerate(sessions.values(), 1):
        for place, turn in enumerate(session, 1):
            if turn.dia_id != f"D{number}:{place}":
                wrong = f"{turn.dia_id!r:.80} where D{number}:{place} should be"
                raise unexpected(path, f"{entry.sample_id}: session_{number} has the turn {wrong}")
    turns = [turn for session in sessions.values() for turn in session]
    operations = (Operation("inscribe", None, _memory(turn), turn.dia_id) for turn in turns)
    known = {turn.dia_id for turn in turns}
    questions = [_question(path, entry.sample_id, place, asked, known) for place, asked in enumerate(entry.qa)]
    if questions and not any(question.gold_rows for question in questions):
        raise unexpected(path, f"{entry.sample_id}: no question has evidence")
    return History(entry.sample_id, (*operations, *questions))


def _memory(turn: _Turn) -> str:
    return f"{turn.speaker}: {turn.text}" + (f" [shares {turn.blip_caption}]" if turn.blip_caption else "")


def _question(path: Path, conversation: str, place: int, asked: _Asked, turns: Collection[str]) -> Question:
    question_id = f"{conversation}-{place}"
    gold = tuple(dict.fromkeys(_gold(path, conversation, question_id, asked.evidence, turns)))
    return Question(question_id, CATEGORIES[asked.category], asked.question, "rows", gold_rows=gold)


def _gold(
    path: Path, conversation: str, question_id: str, evidence: Iterable[str], turns: Collection[str]
) -> Iterator[str]:
    for name in (name for text in evidence for name in _BETWEEN.split(text.strip())):
        found = _TURN.fullmatch(name)
        turn = f"D{int(found[1])}:{int(found[2])}" if found else ""
        if turn in turns:
            yield turn
        elif (conversation, name) not in _NO_TURN:
            raise unexpected(path, f"{question_id}: the evidence {name!r:.80} names no turn there, as D1:2 does")
