"""Memora, weekly time scale (paper, section "Cross-evaluation on Memora"): a history with 15 questions per persona.

`PERSONA/conversations/session_NNNN.json` and `PERSONA/evaluation_questions_PERSONA.json`, as released.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, PlainValidator

from forgeteval.cases.history import Evidence, History, Operation, Question
from lethe.crosseval.evidence import scalars, values_read
from lethe.crosseval.reading_files import (
    Released,
    Text,
    as_released,
    check_unique,
    read_json,
    read_released,
    unexpected,
)

TASKS = ("remembering", "reasoning", "recommending")
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
    return tuple(scalars(record))


_Scalars = Annotated[tuple[Evidence, ...], PlainValidator(_scalars)]


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
    forgetting_evidence: _Scalars | None = None


class _Tasks(Released):
    remembering: list[_Asked]
    reasoning: list[_Asked]
    recommending: list[_Asked]


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
    return sorted(persona.glob("conversations/session_*.json"))


def _persona(folder: Path, reading: str) -> History:
    operations = [operation for operation in map(_operation, _sessions(folder)) if operation is not None]
    check_unique(folder, "the session", (str(operation.row_id) for operation in operations))
    tasks = read_released(folder / f"evaluation_questions_{folder.name}.json", _Evaluation).questions
    questions = (_question(task, asked, reading) for task in TASKS for asked in getattr(tasks, task))
    return History(folder.name, (*operations, *questions))


def _operation(path: Path) -> Operation | None:
    """What a session does to the store, as in the run that the paper's authors released; None where that is nothing.

    `add` inscribes, `update` supersedes, `delete` purges. The memory is every turn with `share_memory`, each as
    `[speaker] message`, joined by a space. A session that shares nothing does nothing, and neither does one whose item
    is a number, which the released run lost.
    """
    content = read_json(path)
    session = as_released(path, _Session, content)
    text = " ".join(f"[{turn.speaker}] {turn.message}" for turn in session.conversation if turn.share_memory)
    if not text:
        return None
    sharing = as_released(path, _Sharing, content)
    details, row_id = sharing.operation_details, str(session.session_id)
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
