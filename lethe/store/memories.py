"""The memories of a store: adding them, moving them between depths, reading them back."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import apsw

from lethe.store import history, indexes, versions
from lethe.store.connection import fetch_all, fetch_row, fetch_value
from lethe.store.depth import SUBMERGED, SURFACE
from lethe.store.history import Operation, Transition


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory that is not void: its id, its current text, its depth."""

    memory_id: int
    text: str
    depth: float


@dataclass(frozen=True, slots=True)
class Current:
    """A memory and its current version, as a change finds them."""

    memory_id: int
    version_id: int
    depth: float
    text: str


def current(connection: apsw.Connection, memory_id: int) -> Current:
    """The memory with this id; `LookupError` if there is none or it was purged."""
    row = fetch_row(
        connection,
        f"SELECT memory.memory_id, memory.version_id, memory.depth, {versions.TEXT} FROM memory"
        " LEFT JOIN version ON version.version_id = memory.version_id WHERE memory.memory_id = ?",
        (memory_id,),
    )
    if row is None:
        raise LookupError(f"there is no memory {memory_id}")
    if row[2] is None:
        raise LookupError(f"memory {memory_id} was purged")
    return Current(*row)


def insert(connection: apsw.Connection, texts: Sequence[str], vectors: Sequence[bytes], at: float) -> list[int]:
    """Add one memory per text, at the surface; returns their ids in order."""
    first_memory, first_version = (_last_id(connection, table) + 1 for table in ("memory", "version"))
    memory_ids = range(first_memory, first_memory + len(texts))
    version_ids = range(first_version, first_version + len(texts))
    connection.executemany(
        "INSERT INTO memory (memory_id, version_id, depth, last_used_at) VALUES (?, ?, ?, ?)",
        ((memory_id, version_id, SURFACE, at) for memory_id, version_id in zip(memory_ids, version_ids, strict=True)),
    )
    versions.add(connection, zip(version_ids, memory_ids, texts, vectors, strict=True))
    indexes.enter(connection, list(zip(memory_ids, texts, vectors, strict=True)))
    pairs = zip(memory_ids, version_ids, strict=True)
    history.append(
        connection, at, (Transition("inscribe", memory, None, SURFACE, version) for memory, version in pairs)
    )
    return list(memory_ids)


def _last_id(connection: apsw.Connection, table: str) -> int:
    row = fetch_row(connection, "SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
    last: int = row[0] if row else 0
    return last


def move(
    connection: apsw.Connection,
    memory_ids: Iterable[int],
    operation: Operation,
    change: Callable[[float], float],
    at: float,
) -> list[int]:
    """Give each memory the depth that `change` computes from its present one; returns the ids of those that moved."""
    transitions = []
    for memory_id in memory_ids:
        memory = current(connection, memory_id)
        depth = change(memory.depth)
        if depth != memory.depth:
            place(connection, memory, depth)
            transitions.append(Transition(operation, memory_id, memory.depth, depth, memory.version_id))
    history.append(connection, at, transitions)
    return [transition.memory_id for transition in transitions]


def supersede(connection: apsw.Connection, memory_id: int, text: str, vector: bytes, at: float) -> int:
    """Submerge a memory and add `text` as its successor; returns the new id."""
    memory = current(connection, memory_id)
    (successor_id,) = insert(connection, [text], [vector], at)
    place(connection, memory, SUBMERGED)
    transition = Transition("supersede", memory_id, memory.depth, SUBMERGED, memory.version_id, successor_id)
    history.append(connection, at, [transition])
    return successor_id


def place(connection: apsw.Connection, memory: Current, depth: float) -> None:
    """Give a memory another depth; the caller logs the change."""
    connection.execute("UPDATE memory SET depth = ? WHERE memory_id = ?", (depth, memory.memory_id))
    if memory.depth > 0 and depth == 0:
        indexes.leave(connection, memory.memory_id, memory.text)
    elif memory.depth == 0 and depth > 0:
        query = "SELECT vector FROM version WHERE version_id = ?"
        vector = fetch_value(connection, query, (memory.version_id,))
        indexes.enter(connection, [(memory.memory_id, memory.text, vector)])


def edit(connection: apsw.Connection, memory_id: int, text: str, vector: bytes, at: float) -> None:
    """Add a version with another text and make it the current one; the depth stays."""
    memory = current(connection, memory_id)
    version_id = _last_id(connection, "version") + 1
    versions.add(connection, [(version_id, memory.memory_id, text, vector)])
    connection.execute("UPDATE memory SET version_id = ? WHERE memory_id = ?", (version_id, memory.memory_id))
    if memory.depth > 0:
        indexes.leave(connection, memory.memory_id, memory.text)
        indexes.enter(connection, [(memory.memory_id, text, vector)])
    history.append(connection, at, [Transition("edit", memory.memory_id, memory.depth, memory.depth, version_id)])


_MEMORIES = (
    f"SELECT memory.memory_id, {versions.TEXT}, memory.depth FROM memory"
    " JOIN version ON version.version_id = memory.version_id WHERE"
)


def described(connection: apsw.Connection, memory_ids: Sequence[int]) -> dict[int, Memory]:
    """The memories with these ids, by id."""
    query = f"{_MEMORIES} memory.memory_id IN (SELECT value FROM json_each(?))"
    return {row[0]: Memory(*row) for row in fetch_all(connection, query, (json.dumps(list(memory_ids)),))}


def submerged(connection: apsw.Connection) -> list[Memory]:
    """The submerged memories: out of recall, with their text."""
    query = f"{_MEMORIES} memory.depth < 1.0 AND memory.depth <= 0.0"
    return [Memory(*row) for row in fetch_all(connection, query)]


def listed(connection: apsw.Connection, *, include_submerged: bool) -> list[Memory]:
    """The live memories in order of id; with `include_submerged`, all that are not void."""
    query = f"{_MEMORIES} memory.depth > ? ORDER BY memory.memory_id"
    return [Memory(*row) for row in fetch_all(connection, query, (-1.0 if include_submerged else 0.0,))]


def counted(connection: apsw.Connection, *, include_submerged: bool) -> int:
    """The number of memories that `listed` would return."""
    query = "SELECT count(*) FROM memory WHERE depth > ?"
    return int(fetch_value(connection, query, (-1.0 if include_submerged else 0.0,)))
