"""The append-only event log: writing it, reading it, and rebuilding an earlier state from it.

Every event carries the SHA-256 of itself and its predecessor's digest, so the digest of one event vouches for
the whole log up to it.
"""

import hashlib
import json
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Literal

import apsw

from lethe.store import indexes, versions
from lethe.store.connection import fetch_all, fetch_row

Operation = Literal["inscribe", "decay", "release", "supersede", "edit", "purge", "pin", "unpin", "consolidate"]
NO_DIGEST = b"\0" * 32


@dataclass(frozen=True, slots=True)
class Transition:
    """A change of one memory; a depth of None means not yet inscribed before the change, void after it."""

    operation: Operation
    memory_id: int
    depth_before: float | None
    depth_after: float | None
    version_id: int
    successor_id: int | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """A logged transition: its number, its time in seconds since the epoch, its digest in hexadecimal."""

    seq: int
    at: float
    operation: Operation
    memory_id: int
    depth_before: float | None
    depth_after: float | None
    version_id: int
    successor_id: int | None
    digest: str


@dataclass(frozen=True, slots=True)
class BlameEntry:
    """One step of a supersession history; `superseded_at` is None for the last step, `text` is None once erased."""

    memory_id: int
    text: str | None
    inscribed_at: float
    superseded_at: float | None


_CHANGES = tuple(field.name for field in fields(Transition))
_changes = operator.attrgetter(*_CHANGES)
_LOGGED = f"seq, at, {', '.join(_CHANGES)}"


def link(previous: bytes, seq: int, at: float, transition: Transition | Event) -> bytes:
    """The digest of an event: SHA-256 of its predecessor's digest and the event as a JSON array."""
    return hashlib.sha256(previous + json.dumps([seq, at, *_changes(transition)]).encode()).digest()


def head(connection: apsw.Connection) -> tuple[int, bytes]:
    """Number and digest of the last event, or (0, 32 zero bytes) for an empty log."""
    row = fetch_row(connection, "SELECT seq, digest FROM event ORDER BY seq DESC LIMIT 1")
    return (row[0], row[1]) if row else (0, NO_DIGEST)


def append(connection: apsw.Connection, at: float, transitions: Iterable[Transition]) -> list[int]:
    """Log the transitions in order, all at time `at`; returns their event numbers."""
    seq, digest = head(connection)
    at = float(at)
    rows = []
    for transition in transitions:
        seq += 1
        digest = link(digest, seq, at, transition)
        rows.append((seq, at, *_changes(transition), digest))
    connection.executemany(f"INSERT INTO event ({_LOGGED}, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    return [row[0] for row in rows]


def events(connection: apsw.Connection, memory_id: int | None = None) -> list[Event]:
    """The log in order: all of it, or the events of one memory."""
    chosen, bindings = ("", ()) if memory_id is None else ("WHERE memory_id = ?", (memory_id,))
    query = f"SELECT {_LOGGED}, lower(hex(digest)) FROM event {chosen} ORDER BY seq"
    return [Event(*row) for row in fetch_all(connection, query, bindings)]


def chain_digest(log: Sequence[Event]) -> str:
    """The digest of the last event, recomputed from all events, the first one first."""
    digest = NO_DIGEST
    for event in log:
        digest = link(digest, event.seq, event.at, event)
    return digest.hex()


def blame(connection: apsw.Connection, memory_id: int) -> list[BlameEntry]:
    """The supersession history that ends at `memory_id`, oldest first; `LookupError` if there is no such memory."""
    entries = []
    step: int | None = memory_id
    superseded_at: float | None = None
    while step is not None:
        inscribed = fetch_row(
            connection,
            f"SELECT event.at, {versions.TEXT} FROM event JOIN memory USING (memory_id)"
            " LEFT JOIN version ON version.version_id = memory.version_id"
            " WHERE event.memory_id = ? AND event.operation = 'inscribe'",
            (step,),
        )
        if inscribed is None:
            raise LookupError(f"there is no memory {step}")
        inscribed_at, text = inscribed
        entries.append(BlameEntry(step, text, inscribed_at, superseded_at))
        predecessor = fetch_row(connection, "SELECT memory_id, at FROM event WHERE successor_id = ?", (step,))
        if predecessor is not None and predecessor[0] >= step:
            raise apsw.CorruptError("a memory that superseded an older one")
        step, superseded_at = predecessor or (None, None)
    return entries[::-1]


def replay(source: apsw.Connection, target: apsw.Connection, seq: int) -> None:
    """Rebuild in the empty store `target` the state of `source` after event `seq`, without what was purged.

    The last event of a memory up to `seq` names its depth and its version; vectors come from the versions. A purge
    deletes the versions of a memory, so the join drops whatever was purged at any time.
    """
    rows = fetch_all(
        source,
        f"SELECT state.memory_id, state.depth_after, version.version_id, {versions.TEXT}, version.vector"
        " FROM (SELECT memory_id, depth_after, version_id, max(seq) FROM event WHERE seq <= ?"
        " GROUP BY memory_id) AS state"
        " JOIN version ON version.version_id = state.version_id",
        (seq,),
    )
    target.executemany(
        "INSERT INTO memory (memory_id, version_id, depth) VALUES (?, ?, ?)",
        ((memory_id, version_id, depth) for memory_id, depth, version_id, _, _ in rows),
    )
    versions.add(target, ((version_id, memory_id, text, vector) for memory_id, _, version_id, text, vector in rows))
    indexes.enter(target, [(memory_id, text, vector) for memory_id, depth, _, text, vector in rows if depth > 0])
