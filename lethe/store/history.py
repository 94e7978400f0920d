"""The append-only event log: writing it, reading it, and rebuilding an earlier state from it.

The events are the entries of a Merkle tree (`lethe.store.merkle`), so that a root vouches for the whole log up to it,
and one event can be shown to be in it without the others.
"""

import functools
import json
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Literal

import apsw

from lethe.store import causes, indexes, merkle, versions
from lethe.store.connection import fetch_all, fetch_row, fetch_value
from lethe.store.scope import Kept, Sight

Operation = Literal[
    "inscribe",
    "relearn",
    "derive",
    "decay",
    "release",
    "supersede",
    "edit",
    "purge",
    "pin",
    "unpin",
    "consolidate",
    "commit",
]


@dataclass(frozen=True, slots=True)
class Transition:
    """A change of one memory; a depth of None means not yet inscribed before the change, void after it.

    `successor_id` is the successor of a memory that is superseded, the memory that is derived from this one, and in a
    purge the memory by whose line this one was reached, None if it was asked for.
    `commitment` is the checksum of the version that the change told, in hexadecimal, None if it told none. A "commit"
    tells that of a version from before there were any, with the vector of another embedder, or with another end.
    """

    operation: Operation
    memory_id: int
    depth_before: float | None
    depth_after: float | None
    version_id: int
    successor_id: int | None = None
    commitment: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """A logged transition: its number, its time in seconds since the epoch, its leaf in hexadecimal.

    `actor` and `reason` are who did it and why, where that was said (`Store.within`); `cause` is the log's commitment
    to both, in hexadecimal. It stays when a purge erases them.
    """

    seq: int
    at: float
    operation: Operation
    memory_id: int
    depth_before: float | None
    depth_after: float | None
    version_id: int
    successor_id: int | None
    commitment: str | None
    digest: str
    cause: str | None
    actor: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class BlameEntry:
    """One step of a supersession history; `superseded_at` is None for the last step, `text` is None once erased.

    `actor` and `reason` are who told it and why, as in `Event`.
    """

    memory_id: int
    text: str | None
    inscribed_at: float
    superseded_at: float | None
    actor: str | None = None
    reason: str | None = None


_CHANGES = tuple(field.name for field in fields(Transition))
_changes = operator.attrgetter(*_CHANGES)
_COLUMNS = f"seq, at, {', '.join(_CHANGES)}, digest, cause"
_TOLD = (
    *(f"event.{name}" for name in ("seq", "at", *_CHANGES[:-1])),
    "nullif(lower(hex(event.commitment)), '')",
    "lower(hex(event.digest))",
)
_PLAIN = f"SELECT {', '.join(_TOLD)}, event.cause, NULL, NULL FROM event"
_WHY = (
    "nullif(lower(hex(event.cause)), '')",
    "cause.actor",
    "cause.reason",
    "cause.salt",
    f"iif(event.cause IS NULL, NULL, {causes.ERASED})",
)
_WITH_CAUSES = f"SELECT {', '.join((*_TOLD, *_WHY))} FROM event LEFT JOIN cause USING (seq)"
SEALING = (
    "INSERT OR REPLACE INTO seal (memory_id, digest) SELECT memory.memory_id, sealed(memory.memory_id,"
    " memory.version_id, memory.depth, (SELECT max(seq) FROM event WHERE event.memory_id = memory.memory_id),"
    " version.checksum) FROM memory JOIN version ON version.version_id = memory.version_id WHERE"
)
"""Seals memories; the condition follows."""


def entry(seq: int, at: float, transition: Transition | Event, cause: str | None) -> str:
    """An event as the log vouches for it: a JSON array of its number, its time, its change, and its commitments if any.

    They are that to the version it told, and that to who did it and why; with the second, the first may be null.
    """
    *change, commitment = _changes(transition)
    if cause is not None:
        return versions.json_array((seq, at, *change, commitment, cause))
    return versions.json_array((seq, at, *change) if commitment is None else (seq, at, *change, commitment))


def _all_nodes(leaves: Sequence[bytes]) -> dict[tuple[int, int], bytes]:
    """The complete subtrees over these leaves, themselves among them."""
    nodes = {(0, number): digest for number, digest in enumerate(leaves)}
    grown = merkle.grown(lambda level, number: nodes[level, number], 0, leaves)
    return nodes | {(level, number): digest for level, number, digest in grown}


def last_seq(connection: apsw.Connection) -> int:
    """Number of the last event, 0 for an empty log; the log has no gaps, so it is also its length."""
    return int(fetch_value(connection, "SELECT coalesce(max(seq), 0) FROM event"))


def nodes(connection: apsw.Connection) -> merkle.Node:
    """The complete subtrees of the log's tree, each read once."""

    @functools.cache
    def node(level: int, number: int) -> bytes:
        if level == 0:
            digest = fetch_value(connection, "SELECT digest FROM event WHERE seq = ?", (number + 1,))
        else:
            query = "SELECT digest FROM node WHERE level = ? AND number = ?"
            digest = fetch_value(connection, query, (level, number))
        if not isinstance(digest, bytes) or len(digest) != 32:
            raise apsw.CorruptError("a digest that is none")
        return digest

    return node


def append(connection: apsw.Connection, at: float, transitions: Iterable[Transition]) -> None:
    """Log the transitions in order, all at time `at`, and seal what became of it."""
    size, at, node = last_seq(connection), float(at), nodes(connection)
    if size:
        node(0, size - 1)  # a log whose last event is damaged does not grow
    told, cause = list(enumerate(transitions, start=size + 1)), causes.present(connection)
    commitments: Sequence[bytes | None] = [None] * len(told)
    if any(cause):
        commitments = causes.add(connection, [seq for seq, _ in told], cause)
    rows, leaves = [], []
    for (seq, transition), why in zip(told, commitments, strict=True):
        digest = merkle.leaf(entry(seq, at, transition, why.hex() if why else None).encode())
        *change, commitment = _changes(transition)
        rows.append((seq, at, *change, commitment and bytes.fromhex(commitment), digest, why))
        leaves.append(digest)
    if not rows:
        return
    complete = merkle.grown(node, size, leaves)
    connection.executemany(f"INSERT INTO event ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.executemany("INSERT INTO node (level, number, digest) VALUES (?, ?, ?)", complete)
    if fetch_value(connection, "SELECT is_to_be_sealed(head) FROM store"):
        new = {(level, number): digest for level, number, digest in complete} | {
            (0, number): digest for number, digest in enumerate(leaves, start=size)
        }
        root = merkle.root(lambda level, number: new.get((level, number)) or node(level, number), size + len(rows))
        _seal(connection, rows, root)


def _seal(connection: apsw.Connection, rows: Sequence[tuple[Any, ...]], root: bytes) -> None:
    """Seal the log that ends with these events, and the memories that they changed."""
    connection.execute("UPDATE store SET head = sealed_head(identity, ?, ?)", (rows[-1][0], root))
    changed = json.dumps([row[3] for row in rows])
    connection.execute(f"{SEALING} memory.memory_id IN (SELECT value FROM json_each(?))", (changed,))
    void = [(row[3],) for row in rows if row[5] is None]
    if void:
        connection.executemany("DELETE FROM seal WHERE memory_id = ?", void)


def moment(at: float) -> str:
    """A moment in seconds since the epoch as people read it: ISO 8601, in UTC."""
    try:
        return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return f"{at:.0f}"  # a clock may tell a year beyond 9999


def events(
    connection: apsw.Connection, sight: Sight, memory_id: int | None = None, since: int = 0, limit: int = -1
) -> list[Event]:
    """The log in order behind event `since`: that of the memories that count, or of one of them; -1 for no limit."""
    condition, bindings = sight.condition()
    if condition != "true":
        condition = f"event.memory_id IN (SELECT memory_id FROM memory WHERE {condition})"
    if memory_id is not None:
        condition, bindings = f"event.memory_id = ? AND {condition}", (memory_id, *bindings)
    return _found(connection, f"event.seq > ? AND {condition} ORDER BY event.seq LIMIT ?", (since, *bindings, limit))


def stretch(connection: apsw.Connection, after: int, last: int) -> list[Event]:
    """The events behind number `after`, up to `last`."""
    return _found(connection, "event.seq > ? AND event.seq <= ? ORDER BY event.seq", (after, last))


def _found(connection: apsw.Connection, condition: str, bindings: Sequence[Any]) -> list[Event]:
    """The events that meet a condition, with who did each and why, where any was ever said."""
    if not fetch_value(connection, "SELECT EXISTS (SELECT 1 FROM cause)"):
        found = [Event(*row) for row in fetch_all(connection, f"{_PLAIN} WHERE {condition}", bindings)]
        if all(event.cause is None for event in found):
            return found
    return [_read(row) for row in fetch_all(connection, f"{_WITH_CAUSES} WHERE {condition}", bindings)]


def _read(row: Sequence[Any]) -> Event:
    """The event in a row of `_WITH_CAUSES`; `apsw.CorruptError` if who did it, or why, is not what was said."""
    *told, salt, was_erased = row
    event = Event(*told)
    if event.cause is None and salt is None:
        return event
    if event.digest != merkle.leaf(entry(event.seq, event.at, event, event.cause).encode()).hex():
        raise apsw.CorruptError("an event that is not the one that was written")
    if was_erased != (salt is None):
        raise apsw.CorruptError("an actor and a reason that were taken away or brought back")
    if salt is not None and event.cause != causes.commitment(salt, event.seq, event.actor, event.reason).hex():
        raise apsw.CorruptError("another actor or reason than was given")
    return event


def log_root(log: Sequence[Event]) -> str:
    """The root over a whole log in hexadecimal, recomputed from its events, the first one first."""
    leaves = [merkle.leaf(entry(event.seq, event.at, event, event.cause).encode()) for event in log]
    nodes = _all_nodes(leaves)
    return merkle.root(lambda level, number: nodes[level, number], len(leaves)).hex()


def blame(connection: apsw.Connection, sight: Sight, memory_id: int) -> list[BlameEntry]:
    """The supersession history that ends at `memory_id`, oldest first; `LookupError` if there is no such memory.

    A step that does not count (`sight`) is told without its text.
    """
    entries = []
    condition, bindings = sight.condition()
    step: int | None = memory_id
    superseded_at: float | None = None
    while step is not None:
        inscribed = fetch_row(
            connection,
            f"SELECT event.seq, event.at, {versions.TEXT} FROM event JOIN memory USING (memory_id)"
            f" LEFT JOIN version ON version.version_id = memory.version_id AND {condition}"
            " WHERE event.memory_id = ? AND event.operation IN ('inscribe', 'relearn')",
            (*bindings, step),
        )
        if inscribed is None:
            raise LookupError(f"there is no memory {step}")
        seq, inscribed_at, text = inscribed
        (told,) = stretch(connection, seq - 1, seq)
        why = (None, None) if text is None else (told.actor, told.reason)
        entries.append(BlameEntry(step, text, inscribed_at, superseded_at, *why))
        query = "SELECT memory_id, at FROM event WHERE successor_id = ? AND operation = 'supersede'"
        predecessor = fetch_row(connection, query, (step,))
        if predecessor is not None and predecessor[0] >= step:
            raise apsw.CorruptError("a memory that superseded an older one")
        step, superseded_at = predecessor or (None, None)
    return entries[::-1]


_SINKS_FROM = """
SELECT inscribed.memory_id, max(inscribed.at, coalesce(
    (SELECT moment FROM consolidation WHERE moved.operation = 'consolidate' AND seq >= moved.seq
     ORDER BY seq, moment LIMIT 1),
    (SELECT moment FROM consolidation WHERE seq < moved.seq ORDER BY seq DESC, moment DESC LIMIT 1),
    inscribed.at))
FROM event AS inscribed LEFT JOIN (
    SELECT memory_id, operation, max(seq) AS seq FROM event
    WHERE seq <= ? AND operation NOT IN ('inscribe', 'relearn', 'derive', 'edit', 'commit') GROUP BY memory_id
) AS moved USING (memory_id)
WHERE inscribed.seq <= ? AND inscribed.operation IN ('inscribe', 'relearn')
"""
"""From when on each memory sank by itself as it was after an event: its inscription, the last consolidation that
counted a use of it, or the last one before its last other change of depth."""


def replay(source: apsw.Connection, target: apsw.Connection, seq: int) -> None:
    """Rebuild in the empty store `target` the state of `source` before event `seq` + 1, without what was purged.

    The last event of a memory up to `seq` names its depth and its version; vectors come from the versions. A purge
    deletes the versions of a memory, so the join drops whatever was purged at any time. A file that was brought from an
    older format tells of the consolidations before that only what the events do.
    """
    rows = fetch_all(
        source,
        f"SELECT state.memory_id, state.depth_after, version.version_id, {', '.join(Kept._fields)}, {versions.TEXT},"
        " version.vector, version.signature, version.salt, version.checksum"
        " FROM (SELECT memory_id, depth_after, version_id, max(seq) FROM event WHERE seq <= ?"
        " AND operation <> 'commit' GROUP BY memory_id) AS state"
        " JOIN version ON version.version_id = state.version_id"
        " JOIN memory ON memory.memory_id = state.memory_id",
        (seq,),
    )
    target.executemany(
        f"INSERT INTO memory (memory_id, depth, version_id, {', '.join(Kept._fields)}) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (row[:7] for row in rows),
    )
    versions.store(target, ((row[2], row[0], *row[7:]) for row in rows))
    indexes.enter(target, [(row[0], row[7]) for row in rows if row[1] > 0])
    first = "SELECT memory_id, min(seq), at, operation, version_id, digest FROM event WHERE seq <= ? GROUP BY memory_id"
    told = {memory_id: event for memory_id, *event in fetch_all(source, first, (seq,))}
    target.executemany(
        "INSERT INTO event (memory_id, seq, at, operation, version_id, digest) VALUES (?, ?, ?, ?, ?, ?)",
        ((row[0], *told[row[0]]) for row in rows),
    )
    consolidations = fetch_all(source, "SELECT seq, moment, half_life_days FROM consolidation WHERE seq <= ?", (seq,))
    target.executemany("INSERT INTO consolidation (seq, moment, half_life_days) VALUES (?, ?, ?)", consolidations)
    if seq == last_seq(source):
        sinks_from = fetch_all(source, "SELECT memory_id, last_used_at FROM memory WHERE depth > 0.0")
    else:
        sinks_from = fetch_all(source, _SINKS_FROM, (seq, seq))
    target.executemany("UPDATE memory SET last_used_at = ?2 WHERE memory_id = ?1", sinks_from)
