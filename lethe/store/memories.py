"""The memories of a store: adding them, moving them between depths, reading them back."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Optional

import apsw

from lethe.store import history, indexes, reembedding, signing, versions
from lethe.store.connection import fetch_all, fetch_only, fetch_row, fetch_value
from lethe.store.depth import CONSOLIDATED_AT, PRESENT, SUBMERGED, SURFACE
from lethe.store.history import Operation, Transition
from lethe.store.scope import EVER, Change, Kept, Sight, Span
from lethe.store.signing import Signature
from lethe.store.versions import Version

if TYPE_CHECKING:
    from lethe.store.keys import Key

EVERY_MEMORY = Sight()


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory that is not void: its id, its current text, its depth, and what it was given when it was inscribed.

    `inscribed_at` is when that was; two memories are equal without it.
    """

    memory_id: int
    text: str
    depth: float
    owner: str | None = None
    session: str | None = None
    source: str | None = None
    expires_at: float | None = None
    inscribed_at: float | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Inscribed:
    """What came of a text that was to be told once: the id of its memory, and whether it is new."""

    memory_id: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class Current:
    """A memory and its current version, as a change finds them: the depth of its last event, and that of now."""

    memory_id: int
    version_id: int
    depth: float
    text: str
    present_depth: float


def current(connection: apsw.Connection, memory_id: int, sight: Sight = EVERY_MEMORY) -> Current:
    """The memory with this id; `LookupError` if there is none, it does not count or it was purged."""
    row = fetch_row(
        connection,
        f"SELECT memory.memory_id, memory.version_id, memory.depth, {versions.TEXT}, {PRESENT} FROM memory"
        " LEFT JOIN version ON version.version_id = memory.version_id WHERE memory.memory_id = ?",
        (memory_id,),
    )
    if row is None or not counts(connection, memory_id, sight):
        raise LookupError(f"there is no memory {memory_id}")
    if row[2] is None:
        raise LookupError(f"memory {memory_id} was purged")
    if row[3] is None:
        raise apsw.CorruptError("a memory without its text")
    return Current(*row)


def counts(connection: apsw.Connection, memory_id: int, sight: Sight) -> bool:
    """Whether a memory, void or not, is among those that count."""
    condition, bindings = sight.condition()
    query = f"SELECT 1 FROM memory WHERE memory_id = ? AND {condition}"
    return sight.whole or fetch_row(connection, query, (memory_id, *bindings)) is not None


def insert(
    connection: apsw.Connection,
    texts: Sequence[str],
    vectors: Sequence[bytes],
    at: float,
    kept: Sequence[Kept],
    operation: Literal["inscribe", "relearn"] = "inscribe",
    sources: Sequence[Current] = (),
    signatures: Sequence[Signature | None] = (),
) -> list[int]:
    """Add one memory per text, at the surface and derived from each of `sources`; returns their ids in order.

    `kept` is what each is given; `signatures` are those of their writers, None without one. `ValueError` for one that
    does not hold, and for a memory of a writer without one.
    """
    signed = list(map(signing.check, texts, kept, signatures or [None] * len(texts)))
    first_memory, first_version = (_last_id(connection, table) + 1 for table in ("memory", "version"))
    memory_ids = range(first_memory, first_memory + len(texts))
    version_ids = range(first_version, first_version + len(texts))
    pairs = list(zip(memory_ids, version_ids, strict=True))
    connection.executemany(
        f"INSERT INTO memory (memory_id, version_id, depth, last_used_at, {', '.join(Kept._fields)})"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ((memory, version, SURFACE, at, *given) for (memory, version), given in zip(pairs, kept, strict=True)),
    )
    checksums = versions.add(connection, list(map(Version, version_ids, memory_ids, texts, vectors, signed)), kept)
    indexes.enter(connection, list(zip(memory_ids, texts, strict=True)))
    told = [
        Transition(operation, memory, None, SURFACE, version, None, checksum.hex())
        for (memory, version), checksum in zip(pairs, checksums, strict=True)
    ]
    derived = [
        Transition("derive", source.memory_id, source.depth, source.depth, source.version_id, memory)
        for memory in memory_ids
        for source in sources
    ]
    history.append(connection, at, told + derived)
    return list(memory_ids)


def _last_id(connection: apsw.Connection, table: str) -> int:
    row = fetch_row(connection, "SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
    last: int = row[0] if row else 0
    return last


def move(change: Change, memory_ids: Iterable[int], operation: Operation, to: Callable[[float], float]) -> list[int]:
    """Give each memory the depth that `to` computes from its present one; returns the ids of those that moved."""
    found = [current(change.connection, memory_id, change.sight) for memory_id in dict.fromkeys(memory_ids)]
    moves = [(memory, depth) for memory in found if (depth := to(memory.present_depth)) != memory.present_depth]
    shift(change.connection, change.at, operation, moves)
    return [memory.memory_id for memory, _ in moves]


def shift(connection: apsw.Connection, at: float, operation: Operation, moves: Sequence[tuple[Current, float]]) -> None:
    """Give memories other depths, and log it."""
    transitions = [Transition(operation, each.memory_id, each.depth, depth, each.version_id) for each, depth in moves]
    place(connection, moves)
    history.append(connection, at, transitions)


def supersede(change: Change, memory_id: int, text: str, vector: bytes, signature: Signature | None = None) -> int:
    """Submerge a memory and add `text` as its successor, in its scope and with its end; returns the new id.

    What its writer has signed, that writer alone supersedes; `ValueError` for others.
    """
    connection = change.connection
    memory = current(connection, memory_id, change.sight)
    kept = signing.kept_by(signature, _kept(connection, memory_id))
    (successor_id,) = insert(connection, [text], [vector], change.at, [kept], signatures=[signature])
    place(connection, [(memory, SUBMERGED)])
    transition = Transition("supersede", memory_id, memory.depth, SUBMERGED, memory.version_id, successor_id)
    history.append(connection, change.at, [transition])
    return successor_id


def _kept(connection: apsw.Connection, memory_id: int) -> Kept:
    return Kept(
        *fetch_only(connection, f"SELECT {', '.join(Kept._fields)} FROM memory WHERE memory_id = ?", (memory_id,))
    )


def place(connection: apsw.Connection, moves: Sequence[tuple[Current, float]]) -> None:
    """Give memories other depths; the caller logs the changes.

    The index comes last: any statement with a trigger after one on it has FTS5 write out what it holds back.
    """
    connection.executemany(
        f"UPDATE memory SET depth = ?, last_used_at = max(last_used_at, coalesce({CONSOLIDATED_AT}, last_used_at))"
        " WHERE memory_id = ?",
        ((depth, memory.memory_id) for memory, depth in moves),
    )
    left = [memory for memory, depth in moves if memory.depth > 0 and depth == 0]
    back = [memory for memory, depth in moves if memory.depth == 0 and depth > 0]
    if indexes.are_many(connection, len(left)):
        indexes.rebuild(connection)
        return
    indexes.leave(connection, [(memory.memory_id, memory.text) for memory in left])
    indexes.enter(connection, [(memory.memory_id, memory.text) for memory in back])


def edit(change: Change, memory_id: int, text: str, vector: bytes, signature: Signature | None = None) -> None:
    """Add a version with another text and make it the current one; the depth stays.

    A memory is its writer's, signed or not, as it was inscribed; `ValueError` for the signature of another one.
    """
    connection = change.connection
    memory = current(connection, memory_id, change.sight)
    version_id = _last_id(connection, "version") + 1
    kept = _kept(connection, memory.memory_id)
    told = Version(version_id, memory.memory_id, text, vector, signing.check(text, kept, signature))
    (checksum,) = versions.add(connection, [told], [kept])
    connection.execute("UPDATE memory SET version_id = ? WHERE memory_id = ?", (version_id, memory.memory_id))
    if memory.depth > 0:
        indexes.leave(connection, [(memory.memory_id, memory.text)])
        # The savepoint has FTS5 write that out. Both at once it writes wrongly: a word that both texts have, the new
        # one 128 times or more, would stay in the index for the older text too.
        with connection:
            indexes.enter(connection, [(memory.memory_id, text)])
    transition = Transition("edit", memory.memory_id, memory.depth, memory.depth, version_id, None, checksum.hex())
    history.append(connection, change.at, [transition])


def move_end(change: Change, memory_id: int, expires_at: float | None, key: Optional["Key"]) -> None:
    """Give a memory another end, and commit to each of its texts with it."""
    connection = change.connection
    memory = current(connection, memory_id, change.sight)
    kept = _kept(connection, memory_id)._replace(expires_at=expires_at)
    told = fetch_all(
        connection,
        f"SELECT version.version_id, {versions.TEXT}, version.vector, version.checksum FROM version"
        " JOIN memory USING (memory_id) WHERE version.memory_id = ? ORDER BY version.version_id",
        (memory_id,),
    )
    connection.execute("UPDATE memory SET expires_at = ? WHERE memory_id = ?", (expires_at, memory_id))
    committed = []
    for version_id, text, vector, older in told:
        digest = versions.renew(connection, version_id, memory_id, kept, text, vector)
        reembedding.keep_aside(connection, key, version_id, older, digest)
        committed.append(Transition("commit", memory_id, memory.depth, memory.depth, version_id, None, digest.hex()))
    history.append(connection, change.at, committed)


_INSCRIBED_AT = "(SELECT at FROM event WHERE event.memory_id = memory.memory_id ORDER BY seq LIMIT 1)"
_FROM = "memory LEFT JOIN version ON version.version_id = memory.version_id WHERE memory.depth IS NOT NULL AND"
_MEMORIES = (
    f"SELECT memory.memory_id, {versions.TEXT}, {PRESENT}, {', '.join(Kept._fields)}, {_INSCRIBED_AT} FROM {_FROM}"
)
_TOLD = f"SELECT memory.memory_id, {versions.TEXT}, {PRESENT}, {_INSCRIBED_AT} FROM {_FROM}"
_AMONG = "memory.memory_id IN (SELECT value FROM json_each(?))"


def _read(rows: Iterable[tuple[Any, ...]]) -> Iterator[Memory]:
    """The memories in rows of `_MEMORIES`; `apsw.CorruptError` for one whose text is gone."""
    for row in _whole(rows):
        yield Memory(*row)


def _whole(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    for row in rows:
        if row[1] is None:
            raise apsw.CorruptError("a memory without its text")
        yield row


def described(connection: apsw.Connection, memory_ids: Sequence[int]) -> dict[int, Memory]:
    """The memories with these ids, by id."""
    query = f"{_MEMORIES} {_AMONG}"
    return {memory.memory_id: memory for memory in _read(fetch_all(connection, query, (json.dumps(list(memory_ids)),)))}


def told(connection: apsw.Connection, memory_ids: Sequence[int]) -> dict[int, tuple[str, float, float]]:
    """The text of each of these memories, its depth and the moment at which it was inscribed, by id."""
    rows = fetch_all(connection, f"{_TOLD} {_AMONG}", (json.dumps(memory_ids),))
    return {memory_id: (text, depth, at) for memory_id, text, depth, at in _whole(rows)}


def submerged(connection: apsw.Connection, sight: Sight) -> list[Memory]:
    """The submerged memories: out of recall, with their text."""
    condition, bindings = sight.condition()
    query = f"{_MEMORIES} memory.depth < 1.0 AND memory.depth <= 0.0 AND {condition}"
    return list(_read(fetch_all(connection, query, bindings)))


def listed(
    connection: apsw.Connection, sight: Sight, told: Span, after: int, limit: int, *, include_submerged: bool
) -> list[Memory]:
    """The first live memories behind the id `after`, in order; with `include_submerged`, of all that are not void.

    `told`: within which time they were inscribed. -1 for no limit.
    """
    condition, bindings = sight.condition()
    if told != EVER:
        condition, bindings = f"{condition} AND {_INSCRIBED_AT} >= ? AND {_INSCRIBED_AT} < ?", (*bindings, *told)
    query = f"{_MEMORIES} memory.depth > ? AND {condition} AND memory.memory_id > ? ORDER BY memory.memory_id LIMIT ?"
    return list(_read(fetch_all(connection, query, (_above(include_submerged), *bindings, after, limit))))


def counted(connection: apsw.Connection, sight: Sight, *, include_submerged: bool) -> int:
    """The number of memories that `listed` would return."""
    condition, bindings = sight.condition()
    query = f"SELECT count(*) FROM memory WHERE depth > ? AND {condition}"
    return int(fetch_value(connection, query, (_above(include_submerged), *bindings)))


def _above(include_submerged: bool) -> float:
    return -1.0 if include_submerged else 0.0
