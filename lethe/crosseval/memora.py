"""Memora, weekly time scale (paper, section "Cross-evaluation on Memora"): a history with 15 questions per persona.

`PERSONA/conversations/session_NNNN.json` and `PERSONA/evaluation_questions_PERSONA.json`, as released.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from forgeteval.cases.history import History, Operation, Question
from lethe.crosseval.evidence import scalars, values_read
from lethe.crosseval.reading_files import read_json, unexpected

TASKS = ("remembering", "reasoning", "recommending")
_NAMING = ("expense_type", "item", "name", "title", "description")


def load_memora(folder: Path, reading: str) -> list[History]:
    """The personas of a weekly folder, by name.

    Args:
        reading: which scalars of the memory evidence count as values (`lethe.crosseval.evidence`).

    Raises:
        UserError: where a file is missing or not in the released format.
    """
    personas = sorted(path for path in folder.iterdir() if path.is_dir())
    if not personas:
        raise unexpected(folder, "holds no persona's folder")
    return [_persona(path, reading) for path in personas]


def count_sessions(folder: Path) -> dict[str, int]:
    """The sessions of each persona of a weekly folder, whether they do anything to a store or not."""
    return {persona.name: len(_sessions(persona)) for persona in sorted(folder.iterdir()) if persona.is_dir()}


def _sessions(persona: Path) -> list[Path]:
    return sorted(persona.glob("conversations/session_*.json"))


def _persona(folder: Path, reading: str) -> History:
    operations = []
    for path in _sessions(folder):
        try:
            operations.append(_operation(read_json(path)))
        except (KeyError, TypeError, AttributeError) as error:
            raise unexpected(path, f"no session of a conversation ({error!r})") from error
    path = folder / f"evaluation_questions_{folder.name}.json"
    try:
        tasks = read_json(path)["questions"]
        questions = [_question(task, entry, reading) for task in TASKS for entry in tasks[task]]
    except (KeyError, TypeError, AttributeError) as error:
        raise unexpected(path, f"no evaluation questions ({error!r})") from error
    return History(folder.name, (*filter(None, operations), *questions))


def _operation(session: Mapping[str, Any]) -> Operation | None:
    """What a session does to the store, as in the run that the paper's authors released; None where that is nothing.

    `add` inscribes, `update` supersedes, `delete` purges. The memory is every turn with `share_memory`, each as
    `[speaker] message`, joined by a space. A session that shares nothing does nothing, and neither does one whose item
    is a number, which the released run lost.
    """
    text = " ".join(
        f"[{turn['speaker']}] {turn['message']}" for turn in session["conversation"] if turn["share_memory"]
    )
    details, row_id = session["operation_details"], str(session["session_id"])
    if not text or isinstance(details["item"], int | float):
        return None
    if session["operation"] == "update":
        return Operation("supersede", mutation_query(details), text, row_id)
    if session["operation"] == "delete":
        return Operation("purge", mutation_query(details), None, row_id)
    return Operation("inscribe", None, text, row_id)


def mutation_query(details: Mapping[str, Any]) -> str:
    """The category of an operation and the fields that name its item; empty where it has neither."""
    item = details["item"]
    named = [item.get(field) for field in _NAMING] if isinstance(item, Mapping) else []
    return " ".join(str(part) for part in (details.get("category"), *named) if part)


def _question(task: str, entry: Mapping[str, Any], reading: str) -> Question:
    evidence = tuple(scalars(entry["memory_evidence"]))
    forgotten = tuple(scalars(entry.get("forgetting_evidence")))
    return Question(
        entry["question_id"],
        task,
        entry["question"],
        "all",
        required=values_read(evidence, reading),
        forbidden=values_read(forgotten, "released"),
        evidence=evidence,
    )
