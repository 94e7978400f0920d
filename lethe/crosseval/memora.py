"""Memora, weekly time scale (paper, section "Cross-evaluation on Memora"): a history with 15 questions per persona.

`PERSONA/conversations/session_NNNN.json` and `PERSONA/evaluation_questions_PERSONA.json`, as released.
"""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, PlainValidator

from forgeteval.cases.history import Evidence, History, Operation, Question
from lethe.crosseval.evidence import scalars, sessions_named, values_read
from lethe.crosseval.reading_files import (
    Released,
    Text,
    as_released,
    read_json,
    read_released,
    unexpected,
)

TASKS = ("remembering", "reasoning", "recommending")
_SESSION_FILE = re.compile(r"session_\d+\.json")
_VALUES = {
    **dict.fromkeys(("forgotten_items", "remaining_tasks", "calendar_events", "goal_data"), "value"),
    **dict.fromkeys(("likes", "dislikes", "specific_items"), "item"),
}
"""Where evidence has records of values, and the key of the value in each."""
_NAMING = ("expense_type", "item", "name", "title", "description")


def _item(item: Any) -> Any:
    fields = [item.get(field) for field in _NAMING] if isinstance(item, dict) else []
    if isinstance(item, bool) or not isinstance(item, dict | str | int | float):
        raise ValueError("is not a record, a text or a number")
    if not all(isinstance(field, str | None) for field in fields):
        raise ValueError("has a name that is not text")
    return item


def _scalars(record: Any) -> tuple[Evidence, ...]:
    if not isinstance(record, dict):
        raise ValueError("is not a record")
    found = tuple(scalars(record))
    _check_values(record)
    return found


def _check_values(record: Any, key: str = "") -> None:
    """ValueError where a record of a value lacks it, or it is no text or number; of some forgotten items only the
    session was released."""
    if isinstance(record, list):
        for inner in record:
            _check_values(inner, key)
        return
    inside = record if isinstance(record, dict) else {}
    needed = _VALUES.get(key)
    if needed and needed not in inside and (key != "forgotten_items" or inside.keys() != {"session_id"}):
        raise ValueError(f"{key} lacks its {needed!r}")
    if needed in inside and type(inside[needed]) not in (str, int, float):
        raise ValueError(f"{key} has a {needed!r} that is not a text or a number")
    for name, inner in inside.items():
        _check_values(inner, name)


def _forgotten(record: Any) -> tuple[Evidence, ...]:
    found = _scalars(record)
    items = record.get("forgotten_items")
    if not isinstance(items, list) or len(items) != record.get("total_forgotten_items"):
        raise ValueError("does not have as many forgotten_items as total_forgotten_items says")
    return found


_Scalars = Annotated[tuple[Evidence, ...], PlainValidator(_scalars)]
_Forgotten = Annotated[tuple[Evidence, ...], PlainValidator(_forgotten)]


class _Turn(Released):
    speaker: Text
    message: Text
    share_memory: bool


class _Details(Released):
    item: Annotated[Any, AfterValidator(_item)]
    category: str | None = None


_Change = Literal["add", "update", "delete"]


class _Session(Released):
    session_id: int
    conversation: list[_Turn]
    operation: _Change | None


class _Sharing(Released):
    """What only a session with something shared needs to say."""

    operation: _Change
    operation_details: _Details


class _Asked(Released):
    question_id: Text
    question: Text
    memory_evidence: _Scalars
    forgetting_evidence: _Forgotten | None = None


class _AskedOfChanges(_Asked):
    forgetting_evidence: _Forgotten


class _Tasks(Released):
    remembering: list[_AskedOfChanges]
    reasoning: list[_Asked]
    recommending: list[_AskedOfChanges]


class _Evaluation(Released):
    questions: _Tasks


def load_memora(folder: Path, reading: str) -> list[History]:
    """The personas of a weekly folder, by name.

    Args:
        reading: which scalars of the memory evidence count as values (`lethe.crosseval.evidence`).

    Raises:
        UserError: where a file is missing or not in the released format.
    """
    personas = persona_folders(folder)
    if not personas:
        raise unexpected(folder, "holds no persona's folder")
    return [_persona(path, reading) for path in personas]


def persona_folders(folder: Path) -> list[Path]:
    """The personas' folders of a weekly folder, by name, without those that tools leave (`.name`, `__name`)."""
    return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith((".", "__")))


def count_sessions(folder: Path) -> dict[str, int]:
    """The sessions of each persona of a weekly folder, whether they do anything to a store or not."""
    return {persona.name: len(_sessions(persona)) for persona in persona_folders(folder)}


def _sessions(persona: Path) -> list[Path]:
    """The files of a persona's sessions, by name; no other file there may look like one."""
    files = [file for file in persona.glob("conversations/*") if file.name.casefold().startswith("session")]
    for file in files:
        if not _SESSION_FILE.fullmatch(file.name):
            raise unexpected(file, "is not named as a session, session_NNNN.json")
    return sorted(files)


def _persona(folder: Path, reading: str) -> History:
    files = _sessions(folder)
    operations = [_operation(path, number) for number, path in enumerate(files, 1)]
    evaluation = folder / f"evaluation_questions_{folder.name}.json"
    tasks = read_released(evaluation, _Evaluation).questions
    asked = [(task, question) for task in TASKS for question in getattr(tasks, task)]
    known = {str(number) for number in range(1, len(files) + 1)}
    for _, question in asked:
        _check_sessions(evaluation, question, known)
    questions = (_question(task, question, reading) for task, question in asked)
    return History(folder.name, (*filter(None, operations), *questions))


def _check_sessions(path: Path, asked: _Asked, known: Collection[str]) -> None:
    named = sessions_named((*asked.memory_evidence, *(asked.forgetting_evidence or ())))
    lost = next((session for session in named if session not in known), None)
    if lost is not None:
        raise unexpected(path, f"{asked.question_id!r:.80} is about the session {lost:.80}, which no file holds")


def _operation(path: Path, number: int) -> Operation | None:
    """What a session does to the store, as in the run that the paper's authors released; None where that is nothing.

    `add` inscribes, `update` supersedes, `delete` purges. The memory is every turn with `share_memory`, each as
    `[speaker] message`, joined by a space. A session that shares nothing does nothing, and neither does one whose item
    is a number, which the released run lost.

    Args:
        number: which session of its persona it is, from 1.
    """
    content = read_json(path)
    session = as_released(path, _Session, content)
    if session.session_id != number:
        raise unexpected(path, f"holds the session {session.session_id} where the session {number} should be")
    text = " ".join(f"[{turn.speaker}] {turn.message}" for turn in session.conversation if turn.share_memory)
    if not text:
        return None
    sharing = as_released(path, _Sharing, content)
    details, row_id = sharing.operation_details, str(number)
    if isinstance(details.item, int | float):
        return None
    if sharing.operation == "add":
        return Operation("inscribe", None, text, row_id)
    query = mutation_query(details.category, details.item)
    if sharing.operation == "update":
        return Operation("supersede", query, text, row_id)
    return Operation("purge", query, None, row_id)


def mutation_query(category: str | None, item: Any) -> str:
    """The category of an operation and the fields that name its item; empty where it has neither."""
    named = [item.get(field) for field in _NAMING] if isinstance(item, Mapping) else []
    return " ".join(part for part in (category, *named) if part)


def _question(task: str, asked: _Asked, reading: str) -> Question:
    return Question(
        asked.question_id,
        task,
        asked.question,
        required=values_read(asked.memory_evidence, reading),
        forbidden=values_read(asked.forgetting_evidence or (), "released"),
        evidence=asked.memory_evidence,
    )
