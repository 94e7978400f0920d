"""Receipts: what a purge erased, as a statement that others can check (`lethe.store.verifier`)."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Optional, Self

import apsw

from lethe.store import history, merkle
from lethe.store.connection import fetch_value

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
        content = {name: value for name, value in asdict(self).items() if name != "signature"}
        return _compact({"kind": _KINDS[type(self)], **content}).encode()

    def to_json(self) -> str:
        """The statement as one line of JSON."""
        return _compact({"kind": _KINDS[type(self)], **asdict(self)})

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The statement in a line of JSON; `ValueError` if it is none of this kind."""
        content = json.loads(text)
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
        disk
            is full; `Store.scrub` then finishes the work.
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

    @property
    def memory_ids(self) -> tuple[int, ...]:
        """The memories that this purge made void."""
        return tuple(json.loads(event)[3] for event in self.events)

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


def extension(connection: apsw.Connection, older_size: int) -> Extension:
    """The proof from an earlier size of the log to the present one; `ValueError` for a size it never had."""
    nodes, size = history.nodes(connection), history.last_seq(connection)
    if not 0 <= older_size <= size:
        raise ValueError(f"there is no event {older_size}; the last one is {size}")
    return Extension(
        store=identity(connection),
        older_size=older_size,
        older_root=merkle.root(nodes, older_size).hex(),
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
