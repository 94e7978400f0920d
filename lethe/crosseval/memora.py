"""Memora, weekly time scale (paper, section "Cross-evaluation on Memora"): a history with 15 questions per persona.

`PERSONA/conversations/session_NNNN.json` and `PERSONA/evaluation_questions_PERSONA.json`, as released.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lethe.cases.history import History, Operation, Question
from lethe.crosseval.evidence import scalars, values_read
from lethe.crosseval.reading_files import read_json, unexpected

TASKS = ("remembering", "reasoning", "recommending")


def load_memora(folder: Path, reading: str) -> list[History]:
    """The personas of a weekly folder, by name.

    Args:
        reading: which scalars of the memory evidence count as values (`lethe.crosseval.evidence`).

    Raises:
        LetheError: where a file is missing or not in the released format.
    """
    personas = sorted(path for path in folder.iterdir() if path.is_dir())
    if not personas:
        raise unexpected(folder, "holds no persona's folder")
    return [_persona(path, reading) for path in personas]


def _persona(folder: Path, reading: str) -> History:
    sessions = []
    for path in folder.glob("conversations/session_*.json"):
        try:
            session = read_json(path)
            sessions.append((session["session_id"], _operation(session)))
        except (KeyError, TypeError, AttributeError) as error:
            raise unexpected(path, f"no session of a conversation ({error!r})") from error
    path = folder / f"evaluation_questions_{folder.name}.json"
    try:
        tasks = read_json(path)["questions"]
        questions = [_question(task, entry, reading) for task in TASKS for entry in tasks[task]]
    except (KeyError, TypeError, AttributeError) as error:
        raise unexpected(path, f"no evaluation questions ({error!r})") from error
    operations = (operation for _, operation in sorted(sessions, key=lambda pair: pair[0]) if operation is not None)
    return History(folder.name, (*operations, *questions))


def _operation(session: Mapping[str, Any]) -> Operation | None:
    """What a session does to the store; None for one that shares no memory and so has nothing to say or to aim at.

    `add` (and none) inscribes, `update` supersedes, `delete` purges. The memory is every turn with `share_memory`, each
    as `[speaker] message` on a line of its own.
    """
    shared = [f"[{turn['speaker']}] {turn['message']}" for turn in session["conversation"] if turn["share_memory"]]
    text, row_id = "\n".join(shared), str(session["session_id"])
    if not text:
        return None
    if session["operation"] == "update":
        return Operation("supersede", mutation_query(session["operation_details"]), text, row_id)
    if session["operation"] == "delete":
        return Operation("purge", mutation_query(session["operation_details"]), None, row_id)
    return Operation("inscribe", None, text, row_id)


def mutation_query(details: Mapping[str, Any]) -> str:
    """The category (or subcategory) of an operation, then its item, or each field of an item that is a record."""
    category = details.get("category") or details.get("subcategory") or ""
    item = details["item"]
    fields = item.values() if isinstance(item, Mapping) else [item]
    return " ".join(str(part) for part in (category, *fields) if part not in ("", None))


def _question(task: str, entry: Mapping[str, Any], reading: str) -> Question:
    evidence = tuple(scalars(entry["memory_evidence"]))
    forgotten = tuple(scalars(entry.get("forgetting_evidence")))
    return Question(
        entry["question_id"],
        task,
        entry["question"],
        "all",
        required=values_read(evidence, reading),
        forbidden=values_read(forgotten, "value"),
        evidence=evidence,
    )
