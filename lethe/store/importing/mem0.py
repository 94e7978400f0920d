"""What Mem0 keeps, without Mem0: the folder of its Qdrant or its Chroma, or the JSON of its `get_all`."""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from lethe.store.documents import TEXT
from lethe.store.errors import LetheError
from lethe.store.importing import chroma, qdrant
from lethe.store.importing.rows import Left, Row, embedded, json_of, moment, regular, string

_WHOSE = ("user_id", "agent_id", "run_id", "role", "actor_id")
_MADE_OF_THE_TEXT = ("hash", "text_lemmatized", "score", "updated_at")
_OTHERS = ("mem0migrations", "_entities")
"""Ends of the names of collections that Mem0 makes besides that of the memories."""
_MOST_BYTES = 256 << 20
_Given = tuple[str, Any, dict[str, Any]]
"""Where a memory was read, its id, and what is said of it."""


def rows(source: Path, collection: str | None, left: Left) -> Iterator[Row]:
    """The memories, as `lethe.store.mem0` keeps them; one of no user, agent or run is found by its id alone."""
    found = _of_folder(source, collection) if source.is_dir() else _of_json(source, left)
    for where, id, given in found:
        told = {name: value for name, value in given.items() if name not in _MADE_OF_THE_TEXT and value is not None}
        text = string(where, "the text of a memory", told.pop("data", None))
        whose = {name: string(where, name, told.pop(name)) for name in _WHOSE if name in told}
        created, end = (told.pop(name, None) for name in ("created_at", "expiration_date"))
        left["without a user, an agent or a run, found by id alone"] += not whose.keys() & set(_WHOSE[:3])
        is_changed = given.get("updated_at") not in (None, created)
        left["times of a last change, not kept"] += is_changed
        value = {TEXT: text, "metadata": told} | whose
        yield Row(where, ("mem0",), id, value, embedded(text, [TEXT, 0]), moment(where, created), _end(where, end))


def _end(where: str, day: Any) -> float | None:
    """The moment after the last of a day, until which Mem0 shows a memory."""
    try:
        return None if day is None else moment(where, (date.fromisoformat(day) + timedelta(days=1)).isoformat())
    except (TypeError, ValueError, OverflowError) as error:
        raise LetheError(f"{where}: {day!r:.80} is not a day as YYYY-MM-DD; mend it there, or take it out") from error


def _of_json(file: Path, left: Left) -> Iterator[_Given]:
    with regular(file).open("rb") as stream:
        content = stream.read(_MOST_BYTES + 1)
    if content.startswith(b"SQLite format 3"):
        raise LetheError(f"{file}: a history has no users; name the folder of the vector store, or the JSON of get_all")
    if len(content) > _MOST_BYTES:
        raise LetheError(f"{file}: larger than {_MOST_BYTES >> 20} MiB; import it in parts")
    told = json_of(str(file), content, _MOST_BYTES)
    if isinstance(told, dict):
        if told.get("next") or told.get("previous"):
            raise LetheError(f"{file}: a page of several; take out its next and previous, and import each page")
        relations = told.get("relations") or []
        left["relations of its graph, left out"] += len(relations) if isinstance(relations, list) else 1
        told = told.get("results")
    if not isinstance(told, list):
        raise LetheError(f"{file}: no list of memories; name the JSON of what get_all() returned")
    for number, each in enumerate(told, start=1):
        where = f"{file}, memory {number}"
        own = _object(where, each).get("metadata")
        metadata = {} if own is None else _object(where, own)
        said = {name: value for name, value in each.items() if name not in ("id", "memory", "metadata")}
        yield where, each.get("id"), metadata | said | {"data": each.get("memory")}


def _of_folder(folder: Path, collection: str | None) -> Iterator[_Given]:
    if (folder / chroma.FILE).exists():
        name = _chosen(folder, chroma.names(folder), collection)
        for _, where, id, _, metadata in chroma.records(folder, name):
            yield where, id, metadata
        return
    name = _chosen(folder, qdrant.collections(folder), collection)
    for where, id, payload in qdrant.points(folder, name):
        yield where, id, _object(where, payload)


def _chosen(folder: Path, known: list[str], asked: str | None) -> str:
    own = [name for name in known if not name.endswith(_OTHERS)] if asked is None else [asked]
    if len(own) != 1 or own[0] not in known:
        raise LetheError(
            f"{folder}: holds the collections {', '.join(known) or 'none'}; name one of them (--collection)"
        )
    return own[0]


def _object(where: str, given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise LetheError(f"{where}: {given!r:.80} where an object is needed; mend it there, or take it out")
    return given
