"""What is to stay forgotten: a text that was erased with a tombstone is refused until it is learned again."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Optional

import apsw

from lethe.store import history
from lethe.store.connection import fetch_all, fetch_value
from lethe.store.errors import LetheError

if TYPE_CHECKING:
    from lethe.store.keys import Key

Alike = Callable[[str], Iterable[str]]
"""Which texts stay forgotten with a text, besides itself."""


def alone(text: str) -> Iterable[str]:
    """No text stays forgotten with another."""
    return ()


class StaysForgotten(ValueError):
    """A text that was erased to stay forgotten is told again.

    Attributes:
        positions: which of the texts, counted from 0.
    """

    def __init__(self, positions: Sequence[int], among: int) -> None:
        which = ", ".join(str(position + 1) for position in positions)
        told = "this text" if among == 1 else f"text {which}:"
        super().__init__(f"{told} was erased to stay forgotten; Store.relearn takes it again")
        self.positions = tuple(positions)


def entomb(
    connection: apsw.Connection,
    name: str,
    key: "Key",
    texts: Iterable[tuple[str, str | None]],
    alike: Alike = alone,
) -> None:
    """Leave a tombstone for each text and what is alike, given with the owner of its memory.

    `LetheError` if the store has tombstones of another key.
    """
    check_key(connection, name, key)
    told = [(said, owner) for text, owner in texts for said in (text, *alike(text))]
    rows = [(digest, key.mark(owner, digest)) for text, owner in told for digest in key.form_hashes(text)]
    connection.executemany("INSERT OR IGNORE INTO tombstone (keyed_hash, mark) VALUES (?, ?)", rows)
    connection.execute("UPDATE store SET tombstone_key = ?", (key.public,))


def entombed(
    connection: apsw.Connection,
    name: str,
    key: Optional["Key"],
    texts: Sequence[str],
    owner: str | None,
    alike: Alike = alone,
) -> list[int]:
    """Which of the texts, counted from 0, have, or what is alike has, a tombstone that an owner sees: his, or nobody's.

    Where no owner is given, all are seen. `LetheError` where the store's key is needed to tell.
    """
    check_key(connection, name, key)
    if key is None or not fetch_value(connection, "SELECT EXISTS (SELECT 1 FROM tombstone)"):
        return []
    return [
        place
        for place, text in enumerate(texts)
        if any(_standing(connection, key, said, owner, lifted=False) for said in (text, *alike(text)))
    ]


def refuse_entombed(
    connection: apsw.Connection,
    name: str,
    key: Optional["Key"],
    texts: Sequence[str],
    owner: str | None,
    alike: Alike = alone,
) -> None:
    """`StaysForgotten` if any of the texts, or what is alike, has a tombstone that the owner sees."""
    positions = entombed(connection, name, key, texts, owner, alike)
    if positions:
        raise StaysForgotten(positions, len(texts))


def lift(connection: apsw.Connection, name: str, key: Optional["Key"], text: str, owner: str | None) -> None:
    """Take the tombstone of a text away, of an owner alone that of his own; `LookupError` if it has none.

    The next event is that of the relearn.
    """
    check_key(connection, name, key)
    standing = [] if key is None else _standing(connection, key, text, owner, lifted=True)
    if key is None or not standing:
        refuse_entombed(connection, name, key, [text], owner)
        raise LookupError("this text has no tombstone: inscribe it")
    connection.executemany("DELETE FROM tombstone WHERE keyed_hash = ? AND mark = ?", standing)
    seq = history.last_seq(connection) + 1
    rows = [(digest, seq, key.lifted(digest, seq)) for digest in {digest for digest, _ in standing}]
    connection.executemany("INSERT INTO lifted (keyed_hash, seq, seal) VALUES (?, ?, ?)", rows)
    refuse_entombed(connection, name, key, [text], owner)


def _standing(
    connection: apsw.Connection, key: "Key", text: str, owner: str | None, *, lifted: bool
) -> list[tuple[bytes, bytes]]:
    """The tombstones of a text that an owner sees, or with `lifted` those that he may lift."""
    found = []
    for digest in key.keyed_hashes(text):
        own = {key.mark(owner, digest)} if lifted else {key.mark(owner, digest), b""}
        for (mark,) in fetch_all(connection, "SELECT mark FROM tombstone WHERE keyed_hash = ?", (digest,)):
            if owner is None or mark in own:
                found.append((digest, mark))
    return found


def check_key(connection: apsw.Connection, name: str, key: Optional["Key"]) -> None:
    """`LetheError` if the store has tombstones that were made with another key than this."""
    public = fetch_value(connection, "SELECT tombstone_key FROM store")
    if public is not None and (key is None or key.public != public):
        raise LetheError(f"store {name} holds tombstones; open it with the key that they were made with")
