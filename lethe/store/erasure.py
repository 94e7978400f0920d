"""Erasure: purge at once, scrub for proof, and a receipt that can be checked against the log."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import apsw

from lethe.store import history, indexes, rows
from lethe.store.connection import Database
from lethe.store.history import Transition
from lethe.store.queries import fetch_row, fetch_value


@dataclass(frozen=True, slots=True)
class PurgeReceipt:
    """What a purge erased.

    `memory_ids` are the rows that this purge made void and `event_seqs` their events, in the same order.
    `chain_sha256` is the digest of event `last_seq`, which vouches for the log up to it (64 zeros for none).
    `complete` says that nothing erased was left in the write-ahead log: False while another connection keeps
    it busy or the disk is full; `Store.scrub` finishes the work.
    """

    memory_ids: tuple[int, ...]
    event_seqs: tuple[int, ...]
    versions_erased: int
    last_seq: int
    chain_sha256: str
    complete: bool


def purge(database: Database, select: Callable[[apsw.Connection], Iterable[int]], at: float) -> PurgeReceipt:
    """Make the selected rows void in one transaction, then empty the write-ahead log.

    Rows that are void already are passed over; `LookupError` for an id that never was.
    """
    versions = 0
    transitions = []
    with database.writing() as connection:
        for memory_id in dict.fromkeys(select(connection)):
            if not is_void(connection, memory_id):
                row = rows.current(connection, memory_id)
                versions += _erase(connection, row)
                transitions.append(Transition("purge", memory_id, row.depth, None, row.version_id))
        seqs = history.append(connection, at, transitions)
        last_seq, digest = history.head(connection)
    return PurgeReceipt(
        memory_ids=tuple(transition.memory_id for transition in transitions),
        event_seqs=tuple(seqs),
        versions_erased=versions,
        last_seq=last_seq,
        chain_sha256=digest.hex(),
        complete=database.checkpoint(),
    )


def _erase(connection: apsw.Connection, row: rows.Current) -> int:
    if row.depth > 0:
        indexes.leave(connection, row.memory_id, row.text)
    connection.execute("DELETE FROM version WHERE memory_id = ?", (row.memory_id,))
    versions = connection.changes()
    connection.execute(
        "UPDATE memory SET depth = NULL, version_id = NULL, last_used_at = NULL, use_count = 0 WHERE memory_id = ?",
        (row.memory_id,),
    )
    return versions


def is_void(connection: apsw.Connection, memory_id: int) -> bool:
    """Whether the id was given out and its row has been purged."""
    query = "SELECT 1 FROM memory WHERE memory_id = ? AND depth IS NULL"
    return fetch_row(connection, query, (memory_id,)) is not None


def scrub(database: Database) -> bool:
    """Rewrite indexes, statistics and file from what is left; False while another connection reads."""
    with database.writing() as connection:
        connection.execute("INSERT INTO lexical (lexical) VALUES ('optimize')")
        if fetch_row(connection, "SELECT 1 FROM sqlite_schema WHERE name LIKE 'sqlite_stat_'"):
            connection.execute("ANALYZE")
    database.vacuum()
    return database.checkpoint()


def verified(connection: apsw.Connection, receipt: PurgeReceipt) -> bool:
    """Whether the log up to the receipt is unchanged, holds its purges, and its rows hold no version."""
    log = [event for event in history.events(connection) if event.seq <= receipt.last_seq]
    purged = tuple(event.memory_id for event in log if event.seq in receipt.event_seqs and event.operation == "purge")
    return (
        history.chain_digest(log) == receipt.chain_sha256
        and purged == receipt.memory_ids
        and all(is_void(connection, memory_id) for memory_id in purged)
        and not any(_versions(connection, memory_id) for memory_id in purged)
    )


def _versions(connection: apsw.Connection, memory_id: int) -> int:
    query = "SELECT count(*) FROM version WHERE memory_id = ?"
    return int(fetch_value(connection, query, (memory_id,)))
