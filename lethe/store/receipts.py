"""Receipts: what a purge erased, as a statement that others can check (`lethe.store.verifier`)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Optional, Self

import apsw

from lethe.store import history, merkle
from lethe.store.connection import fetch_all, fetch_row, fetch_value
from lethe.store.verifier import unique_keys

if TYPE_CHECKING:
    from lethe.store.keys import Key


@dataclass(frozen=True, slots=True)
class Statement:
    """What can be written as JSON and signed; digests, keys and signatures are in hexadecimal.

    `public_key` and `signature` are empty where the store has no key.
    """

    def signed(self, key: Optional["Key"]) -> Self:
        """The same with the key's signature; without a key, unchanged."""
        if key is None:
            return self
        named = replace(self, public_key=key.public.hex())  # type: ignore[call-arg]
        return replace(named, signature=key.sign(named.message()).hex())  # type: ignore[call-arg]

    def message(self) -> bytes:
        """What is signed: the kind of statement and all of it but the signature, as JSON in order of names."""
        content = self._content()
        del content["signature"]
        return _compact(content).encode()

    def to_json(self) -> str:
        """The statement as one line of JSON."""
        return _compact(self._content())

    def _content(self) -> dict[str, Any]:
        return {"kind": _KINDS[type(self)]} | {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The statement in a line of JSON; `ValueError` if it is none of this kind."""
        content = json.loads(text, object_pairs_hook=unique_keys)
        if not isinstance(content, dict) or content.pop("kind", None) != _KINDS[cls]:
            raise ValueError(f"this is no {_KINDS[cls]}")
        if content.keys() != {field.name for field in fields(cls)}:
            raise ValueError(f"this {_KINDS[cls]} has other fields than one has")
        return cls(**{name: _frozen(value) for name, value in content.items()})


@dataclass(frozen=True, slots=True)
class PurgeReceipt(Statement):
    """Record of what a purge erased.

    Attributes:
        store: the identity of the store.
        events: the purge's events in the log, one for each memory, as the JSON that the log vouches for.
        versions: how many texts each of these memories had.
        keyed_hashes: of each memory, the keyed hash of each of its texts; empty without a key.
        stays_forgotten: whether the texts got tombstones.
        before: the number of events in the log before the purge.
        path: the path from the purge's events to the root: the subtrees to their left, the smallest first.
        root: the root of the log up to the last of them.
        complete: nothing erased is left in the write-ahead log. False while another connection keeps it busy or the
            disk is full; `Store.complete` then finishes the work.
    """

    store: str
    events: tuple[str, ...]
    versions: tuple[int, ...]
    keyed_hashes: tuple[tuple[str, ...], ...]
    stays_forgotten: bool
    before: int
    path: tuple[str, ...]
    root: str
    complete: bool
    public_key: str = ""
    signature: str = ""

    def draft(self) -> "PurgeReceipt":
        """What it says of a purge that may still be undone: what it erases, and nothing that can be checked."""
        return replace(self, keyed_hashes=(), path=(), root="")

    @property
    def memory_ids(self) -> tuple[int, ...]:
        """The memories that this purge made void."""
        return tuple(json.loads(event)[3] for event in self.events)

    @property
    def asked(self) -> tuple[int, ...]:
        """Those of them that were asked for; the others went with their line."""
        return tuple(event[3] for event in map(json.loads, self.events) if event[7] is None)

    @property
    def went_with(self) -> dict[int, int]:
        """Those that were erased with the line of others, each with the memory that led to it."""
        return {event[3]: event[7] for event in map(json.loads, self.events) if event[7] is not None}

    @property
    def event_seqs(self) -> tuple[int, ...]:
        """Their events, in the same order."""
        return tuple(range(self.before + 1, self.last_seq + 1))

    @property
    def last_seq(self) -> int:
        """The number of events in the log that the root vouches for."""
        return self.before + len(self.events)

    @property
    def versions_erased(self) -> int:
        """How many texts were erased, older ones included."""
        return sum(self.versions)


@dataclass(frozen=True, slots=True)
class Extension(Statement):
    """That the log of `size` events begins with the first `older_size` of them: a proof from one root to the other."""

    store: str
    older_size: int
    older_root: str
    size: int
    root: str
    path: tuple[str, ...]
    public_key: str = ""
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Head(Statement):
    """The size and the root of a log, which vouch for all that the store holds, to be kept elsewhere."""

    store: str
    size: int
    root: str
    public_key: str = ""
    signature: str = ""

    @property
    def last_seq(self) -> int:
        """The number of events in the log that the root vouches for."""
        return self.size


_KINDS: Mapping[type, str] = {
    PurgeReceipt: "lethe receipt 1",
    Extension: "lethe extension 1",
    Head: "lethe head 1",
}


def statement(text: str | bytes) -> PurgeReceipt | Head:
    """The receipt or the head in a line of JSON; `ValueError` if it is neither."""
    try:
        return Head.from_json(text)
    except ValueError:
        return PurgeReceipt.from_json(text)


def head(connection: apsw.Connection) -> Head:
    """The present size and root of the log."""
    size = history.last_seq(connection)
    return Head(identity(connection), size, merkle.root(history.nodes(connection), size).hex())


def given(
    connection: apsw.Connection, before: int, hashes: Sequence[Sequence[str]], *, stays_forgotten: bool
) -> PurgeReceipt:
    """What the receipt of the purge at the end of the log says before the write-ahead log is emptied.

    The file keeps what the log does not tell, so that `again` gives the same receipt, until the next purge.
    """
    last = history.last_seq(connection)
    receipt = _receipt(connection, before, last, hashes, stays_forgotten=stays_forgotten)
    if last > before:
        newest = "last_seq = (SELECT max(last_seq) FROM receipt)"
        connection.execute(f"UPDATE receipt SET keyed_hashes = NULL WHERE {newest} AND keyed_hashes IS NOT NULL")
        kept = json.dumps(receipt.keyed_hashes) if receipt.keyed_hashes else None
        statement = "INSERT INTO receipt (last_seq, before, stays_forgotten, keyed_hashes) VALUES (?, ?, ?, ?)"
        connection.execute(statement, (last, before, stays_forgotten, kept))
    return receipt


def again(connection: apsw.Connection, memory_id: int | None) -> PurgeReceipt:
    """The receipt of the purge of a memory, by default of the latest purge; `LookupError` if there was none.

    It names texts by their keyed hashes only if there was no later purge. Of a purge by an older Lethe it says what the
    log does: that this one memory was erased.
    """
    query = "SELECT max(seq) FROM event WHERE operation = 'purge'"
    if memory_id is None:
        seq = fetch_value(connection, query)
    else:
        seq = fetch_value(connection, f"{query} AND memory_id = ?", (memory_id,))
    if seq is None:
        raise LookupError("nothing was purged" if memory_id is None else f"memory {memory_id} was not purged")
    kept = fetch_row(
        connection,
        "SELECT before, last_seq, keyed_hashes, stays_forgotten FROM receipt WHERE before < ? AND last_seq >= ?",
        (seq, seq),
    )
    before, last, hashes, stays_forgotten = kept or (seq - 1, seq, None, False)
    try:
        named = json.loads(hashes) if hashes else ()
    except ValueError as error:
        raise apsw.CorruptError("keyed hashes that are none") from error
    return _receipt(connection, before, last, named, stays_forgotten=bool(stays_forgotten))


def _receipt(
    connection: apsw.Connection, before: int, last: int, hashes: Sequence[Sequence[str]], *, stays_forgotten: bool
) -> PurgeReceipt:
    nodes = history.nodes(connection)
    events = history.stretch(connection, before, last)
    told = dict(
        fetch_all(
            connection,
            "SELECT memory_id, count(*) FROM event WHERE operation IN ('inscribe', 'relearn', 'edit')"
            " AND memory_id IN (SELECT value FROM json_each(?)) GROUP BY memory_id",
            (json.dumps([event.memory_id for event in events]),),
        )
    )
    counts = tuple(told[event.memory_id] for event in events)
    if tuple(map(len, hashes)) != counts:
        hashes = ()  # without a key, or a text was lost in the file: then the receipt names none
    return PurgeReceipt(
        store=identity(connection),
        events=tuple(history.entry(event.seq, event.at, event, event.cause) for event in events),
        versions=counts,
        keyed_hashes=tuple(map(tuple, hashes)),
        stays_forgotten=stays_forgotten,
        before=before,
        path=tuple(digest.hex() for digest in merkle.left_edge(nodes, before)),
        root=merkle.root(nodes, last).hex(),
        complete=False,
    )


def extension(connection: apsw.Connection, older: PurgeReceipt | Head) -> Extension:
    """The proof from an earlier state of the log to the present one; `ValueError` for a state that it never had."""
    if older.store != identity(connection):
        raise ValueError("the receipt or head is about another store, or the store was emptied since")
    nodes, size, older_size = history.nodes(connection), history.last_seq(connection), older.last_seq
    if not 0 <= older_size <= size:
        raise ValueError(f"there is no event {older_size}; the last one is {size}")
    if older.root != merkle.root(nodes, older_size).hex():
        raise ValueError("the log does not begin with that of the receipt or head: one of them was changed")
    return Extension(
        store=identity(connection),
        older_size=older_size,
        older_root=older.root,
        size=size,
        root=merkle.root(nodes, size).hex(),
        path=tuple(digest.hex() for digest in merkle.consistency(nodes, older_size, size)),
    )


def identity(connection: apsw.Connection) -> str:
    """The identity of a store, in hexadecimal."""
    return bytes(fetch_value(connection, "SELECT identity FROM store")).hex()


def _compact(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
