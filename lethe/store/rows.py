"""Memory rows: writing them, moving them between depths, reading them back."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import apsw

from lethe.store import history, indexes
from lethe.store.depth import SUBMERGED, SURFACE
from lethe.store.history import Operation, Transition
from lethe.store.queries import fetch_all, fetch_row, fetch_value


@dataclass(frozen=True, slots=True)
class Row:
    """A memory that is not void: its id, its current text, its depth."""

    memory_id: int
    text: str
    depth: float


@dataclass(frozen=True, slots=True)
class Current:
    """A memory as a change finds it."""

    memory_id: int
    version_id: int
    depth: float
    text: str


def check_text(text: str) -> None:
    """Refuse what cannot be a memory: blank text and lone surrogates (`ValueError`). NUL is allowed."""
    if not text.strip():
        raise ValueError("a memory needs text: this one is empty or only white space")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"text holds a lone surrogate at position {error.start}") from error


def current(connection: apsw.Connection, memory_id: int) -> Current:
    """The memory with this id; `LookupError` if there is none or it was purged."""
    row = fetch_row(
        connection,
        "SELECT memory.memory_id, memory.version_id, memory.depth, version.text FROM memory"
        " LEFT JOIN version ON version.version_id = memory.version_id WHERE memory.memory_id = ?",
        (memory_id,),
    )
    if row is None:
        raise LookupError(f"there is no memory {memory_id}")
    if row[2] is None:
        raise LookupError(f"memory {memory_id} was purged")
    return Current(*row)


def insert(connection: apsw.Connection, texts: Sequence[str], vectors: Sequence[bytes], at: float) -> list[int]:
    """Add one surface row per text; returns their ids in order."""
    first_memory, first_version = (_last_id(connection, table) + 1 for table in ("memory", "version"))
    memory_ids = range(first_memory, first_memory + len(texts))
    version_ids = range(first_version, first_version + len(texts))
    connection.executemany(
        "INSERT INTO memory (memory_id, version_id, depth, last_used_at) VALUES (?, ?, ?, ?)",
        ((memory_id, version_id, SURFACE, at) for memory_id, version_id in zip(memory_ids, version_ids, strict=True)),
    )
    connection.executemany(
        "INSERT INTO version (version_id, memory_id, text, vector) VALUES (?, ?, ?, ?)",
        zip(version_ids, memory_ids, texts, vectors, strict=True),
    )
    indexes.enter(connection, list(zip(memory_ids, texts, vectors, strict=True)))
    history.append(
        connection,
        at,
        (
            Transition("inscribe", memory_id, None, SURFACE, version_id)
            for memory_id, version_id in zip(memory_ids, version_ids, strict=True)
        ),
    )
    return list(memory_ids)


def _last_id(connection: apsw.Connection, table: str) -> int:
    row = fetch_row(connection, "SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
    return int(row[0]) if row else 0


def move(
    connection: apsw.Connection,
    memory_ids: Iterable[int],
    operation: Operation,
    change: Callable[[float], float],
    at: float,
) -> list[int]:
    """Give each row the depth that `change` makes of its own; returns the ids of those that moved."""
    transitions = []
    for memory_id in memory_ids:
        row = current(connection, memory_id)
        depth = change(row.depth)
        if depth != row.depth:
            place(connection, row, depth)
            transitions.append(Transition(operation, memory_id, row.depth, depth, row.version_id))
    history.append(connection, at, transitions)
    return [transition.memory_id for transition in transitions]


def supersede(connection: apsw.Connection, memory_id: int, text: str, vector: bytes, at: float) -> int:
    """Submerge a row and add `text` as its successor; returns the new id."""
    row = current(connection, memory_id)
    (successor_id,) = insert(connection, [text], [vector], at)
    place(connection, row, SUBMERGED)
    transition = Transition("supersede", memory_id, row.depth, SUBMERGED, row.version_id, successor_id)
    history.append(connection, at, [transition])
    return successor_id


def place(connection: apsw.Connection, row: Current, depth: float) -> None:
    """Give a row another depth; the caller logs it."""
    connection.execute("UPDATE memory SET depth = ? WHERE memory_id = ?", (depth, row.memory_id))
    if row.depth > 0 and depth == 0:
        indexes.leave(connection, row.memory_id, row.text)
    elif row.depth == 0 and depth > 0:
        query = "SELECT vector FROM version WHERE version_id = ?"
        vector = fetch_value(connection, query, (row.version_id,))
        indexes.enter(connection, [(row.memory_id, row.text, vector)])


def edit(connection: apsw.Connection, memory_id: int, text: str, vector: bytes, at: float) -> None:
    """Add a version with another text and make it the current one; the depth stays."""
    row = current(connection, memory_id)
    version_id = _last_id(connection, "version") + 1
    connection.execute(
        "INSERT INTO version (version_id, memory_id, text, vector) VALUES (?, ?, ?, ?)",
        (version_id, row.memory_id, text, vector),
    )
    connection.execute("UPDATE memory SET version_id = ? WHERE memory_id = ?", (version_id, row.memory_id))
    if row.depth > 0:
        indexes.leave(connection, row.memory_id, row.text)
        indexes.enter(connection, [(row.memory_id, text, vector)])
    history.append(connection, at, [Transition("edit", row.memory_id, row.depth, row.depth, version_id)])


def described(connection: apsw.Connection, memory_ids: Sequence[int]) -> dict[int, Row]:
    """The rows with these ids, by id."""
    found = fetch_all(
        connection,
        "SELECT memory.memory_id, version.text, memory.depth FROM memory"
        " JOIN version ON version.version_id = memory.version_id"
        " WHERE memory.memory_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(memory_ids)),),
    )
    return {row[0]: Row(*row) for row in found}


def submerged(connection: apsw.Connection) -> list[Row]:
    """The rows out of recall that still have a text."""
    found = fetch_all(
        connection,
        "SELECT memory.memory_id, version.text, memory.depth FROM memory"
        " JOIN version ON version.version_id = memory.version_id"
        " WHERE memory.depth < 1.0 AND memory.depth <= 0.0",
    )
    return [Row(*row) for row in found]


def listed(connection: apsw.Connection, *, include_submerged: bool) -> list[Row]:
    """The rows by id: the live ones, with `include_submerged` all but the void ones."""
    query = (
        "SELECT memory.memory_id, version.text, memory.depth FROM memory"
        " JOIN version ON version.version_id = memory.version_id"
        " WHERE memory.depth > ? ORDER BY memory.memory_id"
    )
    return [Row(*row) for row in fetch_all(connection, query, (-1.0 if include_submerged else 0.0,))]


def counted(connection: apsw.Connection, *, include_submerged: bool) -> int:
    """How many rows `listed` would return."""
    query = "SELECT count(*) FROM memory WHERE depth > ?"
    return int(fetch_value(connection, query, (-1.0 if include_submerged else 0.0,)))
