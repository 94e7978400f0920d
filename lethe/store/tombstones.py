"""What is to stay forgotten: a text that was erased with a tombstone is refused until it is learned again."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Optional

import apsw

from lethe.store.connection import fetch_row, fetch_value
from lethe.store.errors import LetheError

if TYPE_CHECKING:
    from lethe.store.keys import Key


class StaysForgotten(ValueError):
    """A text that was erased to stay forgotten is told again.

    Attributes:
        positions: which of the texts, counted from 0.
    """

    def __init__(self, positions: Sequence[int]) -> None:
        which = ", ".join(str(position + 1) for position in positions)
        super().__init__(f"text {which}: was erased to stay forgotten; Store.relearn takes it again")
        self.positions = tuple(positions)


def entomb(connection: apsw.Connection, name: str, key: "Key", texts: Iterable[str]) -> None:
    """Leave a tombstone for each text; `LetheError` if the store has tombstones of another key."""
    check_key(connection, name, key)
    hashes = [(digest,) for text in texts for digest in key.form_hashes(text)]
    connection.executemany("INSERT OR IGNORE INTO tombstone (keyed_hash) VALUES (?)", hashes)
    connection.execute("UPDATE store SET tombstone_key = ?", (key.public,))


def entombed(connection: apsw.Connection, name: str, key: Optional["Key"], texts: Sequence[str]) -> list[int]:
    """Which of the texts, counted from 0, have a tombstone; `LetheError` where the store's key is needed to tell."""
    check_key(connection, name, key)
    if key is None or not fetch_value(connection, "SELECT EXISTS (SELECT 1 FROM tombstone)"):
        return []
    query = "SELECT 1 FROM tombstone WHERE keyed_hash = ?"
    return [
        place
        for place, text in enumerate(texts)
        if any(fetch_row(connection, query, (digest,)) for digest in key.keyed_hashes(text))
    ]


def refuse_entombed(connection: apsw.Connection, name: str, key: Optional["Key"], texts: Sequence[str]) -> None:
    """`StaysForgotten` if any of the texts has a tombstone."""
    positions = entombed(connection, name, key, texts)
    if positions:
        raise StaysForgotten(positions)


def lift(connection: apsw.Connection, name: str, key: Optional["Key"], text: str) -> None:
    """Take the tombstone of a text away; `LookupError` if it has none."""
    if not entombed(connection, name, key, [text]) or key is None:
        raise LookupError("this text has no tombstone: inscribe it")
    hashes = [(digest,) for digest in key.keyed_hashes(text)]
    connection.executemany("DELETE FROM tombstone WHERE keyed_hash = ?", hashes)


def check_key(connection: apsw.Connection, name: str, key: Optional["Key"]) -> None:
    """`LetheError` if the store has tombstones that were made with another key than this."""
    public = fetch_value(connection, "SELECT tombstone_key FROM store")
    if public is not None and (key is None or key.public != public):
        raise LetheError(f"store {name} holds tombstones; open it with the key that they were made with")
