"""Erasure: purge at once, scrub for proof, and a receipt that can be checked against the log."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import apsw

from lethe.store import history, indexes, memories
from lethe.store.connection import Database, fetch_row, fetch_value
from lethe.store.history import Transition


@dataclass(frozen=True, slots=True)
class PurgeReceipt:
    """Record of what a purge erased.

    `memory_ids` are the memories that this purge made void, `event_seqs` their events in the same order.
    `chain_sha256` is the digest of event `last_seq`, which vouches for the log up to it (64 zeros for none).
    `complete` says that nothing erased is left in the write-ahead log. It is False while another connection keeps
    the log busy or the disk is full; `Store.scrub` then finishes the work.
    """

    memory_ids: tuple[int, ...]
    event_seqs: tuple[int, ...]
    versions_erased: int
    last_seq: int
    chain_sha256: str
    complete: bool


def purge(
    database: Database, select: Callable[[apsw.Connection], Iterable[int]], now: Callable[[], float]
) -> PurgeReceipt:
    """Make the selected memories void in one transaction, then empty the write-ahead log.

    Memories that are already void are skipped; `LookupError` for an id that was never given out.
    """
    versions = 0
    transitions = []
    with database.writing() as connection:
        at = now()
        for memory_id in dict.fromkeys(select(connection)):
            if not is_void(connection, memory_id):
                memory = memories.current(connection, memory_id)
                versions += _erase(connection, memory)
                transitions.append(Transition("purge", memory_id, memory.depth, None, memory.version_id))
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


def _erase(connection: apsw.Connection, memory: memories.Current) -> int:
    if memory.depth > 0:
        indexes.leave(connection, memory.memory_id, memory.text)
    connection.execute("DELETE FROM version WHERE memory_id = ?", (memory.memory_id,))
    versions = connection.changes()
    connection.execute(
        "UPDATE memory SET depth = NULL, version_id = NULL, last_used_at = NULL, use_count = 0 WHERE memory_id = ?",
        (memory.memory_id,),
    )
    return versions


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


def verified(connection: apsw.Connection, receipt: PurgeReceipt) -> bool:
    """Whether the log up to the receipt is unchanged and holds its purges, and its memories have no version left.

    `complete` is not in the log: nothing vouches for it.
    """
    if not isinstance(receipt.last_seq, int) or not isinstance(receipt.event_seqs, tuple):
        return False
    log = [event for event in history.events(connection) if event.seq <= receipt.last_seq]
    purges = [event for event in log if event.seq in receipt.event_seqs and event.operation == "purge"]
    purged = tuple(event.memory_id for event in purges)
    versions = [event for event in log if event.operation in ("inscribe", "edit") and event.memory_id in purged]
    return (
        history.chain_digest(log) == receipt.chain_sha256
        and (log[-1].seq if log else 0) == receipt.last_seq
        and tuple(event.seq for event in purges) == receipt.event_seqs
        and purged == receipt.memory_ids
        and len(versions) == receipt.versions_erased
        and all(is_void(connection, memory_id) for memory_id in purged)
        and not any(_versions(connection, memory_id) for memory_id in purged)
    )


def _versions(connection: apsw.Connection, memory_id: int) -> int:
    query = "SELECT count(*) FROM version WHERE memory_id = ?"
    return int(fetch_value(connection, query, (memory_id,)))
