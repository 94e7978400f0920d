"""Erasure: purge at once, and scrub for proof."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Optional

import apsw

from lethe.store import history, indexes, memories, merkle, receipts, tombstones
from lethe.store.connection import fetch_all, fetch_row
from lethe.store.database import Database
from lethe.store.history import Transition
from lethe.store.receipts import PurgeReceipt
from lethe.store.scope import Change, Kept, Sight

if TYPE_CHECKING:
    from lethe.store.keys import Key

_VOID = ", ".join(f"{name} = NULL" for name in ("depth", "version_id", "last_used_at", *Kept._fields))


def erase(
    change: Change, name: str, memory_ids: Iterable[int], key: Optional["Key"], *, stay_forgotten: bool
) -> PurgeReceipt:
    """Make memories of the scope void; returns what the receipt says before the write-ahead log is emptied.

    Memories that are already void are skipped; `LookupError` for an id that was never given out, or not in this scope.
    """
    connection = change.connection
    sight = Sight(change.sight.scope)
    before = history.last_seq(connection)
    path = merkle.left_edge(history.nodes(connection), before)
    doomed = [
        memories.current(connection, memory_id, sight)
        for memory_id in dict.fromkeys(memory_ids)
        if not is_void(connection, memory_id)
    ]
    texts = [_erase(connection, memory.memory_id) for memory in doomed]
    indexes.leave(connection, [(memory.memory_id, memory.text) for memory in doomed if memory.depth > 0])
    transitions = [Transition("purge", each.memory_id, each.depth, None, each.version_id) for each in doomed]
    if stay_forgotten and key is not None:
        tombstones.entomb(connection, name, key, (text for erased in texts for text in erased))
    seqs = history.append(connection, change.at, transitions)
    return PurgeReceipt(
        store=receipts.identity(connection),
        events=tuple(history.entry(seq, change.at, made) for seq, made in zip(seqs, transitions, strict=True)),
        versions=tuple(map(len, texts)),
        keyed_hashes=tuple(tuple(key.keyed_hash(text).hex() for text in erased) for erased in texts) if key else (),
        stays_forgotten=stay_forgotten,
        before=before,
        path=tuple(digest.hex() for digest in path),
        root=merkle.root(history.nodes(connection), before + len(seqs)).hex(),
        complete=False,
    )


def _erase(connection: apsw.Connection, memory_id: int) -> list[str]:
    """Erase a memory's texts and all that it was given; returns the texts, the oldest first."""
    query = "SELECT text FROM version WHERE memory_id = ? ORDER BY version_id"
    texts = [text for (text,) in fetch_all(connection, query, (memory_id,))]
    connection.execute("DELETE FROM version WHERE memory_id = ?", (memory_id,))
    connection.execute(f"UPDATE memory SET {_VOID}, use_count = 0 WHERE memory_id = ?", (memory_id,))
    return texts


def is_void(connection: apsw.Connection, memory_id: int) -> bool:
    """Whether the memory with this id has been purged."""
    query = "SELECT 1 FROM memory WHERE memory_id = ? AND depth IS NULL"
    return fetch_row(connection, query, (memory_id,)) is not None


def scrub(database: Database) -> bool:
    """Rewrite indexes, statistics and file from what is left; returns False while another connection reads."""
    with database.writing() as connection:
        connection.execute("INSERT INTO lexical (lexical) VALUES ('optimize')")
        if fetch_row(connection, "SELECT 1 FROM sqlite_schema WHERE name LIKE 'sqlite_stat_'"):
            connection.execute("ANALYZE")
    database.vacuum()
    return database.checkpoint()
