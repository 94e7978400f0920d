"""Erasure: purge at once, and scrub for proof."""

import itertools
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Optional

import apsw

from lethe.store import causes, history, indexes, lineage, receipts, tombstones, versions
from lethe.store.connection import drop_statistics, fetch_all
from lethe.store.database import Database
from lethe.store.history import Transition
from lethe.store.receipts import PurgeReceipt
from lethe.store.scope import Change, Kept, Sight

if TYPE_CHECKING:
    from lethe.store.keys import Key

_VOID = ", ".join(f"{name} = NULL" for name in ("depth", "version_id", "last_used_at", *Kept._fields))
_AMONG = "memory_id IN (SELECT value FROM json_each(?))"


def erase(
    change: Change,
    name: str,
    memory_ids: Iterable[int],
    key: Optional["Key"],
    *,
    with_line: bool,
    stay_forgotten: bool,
    alike: tombstones.Alike,
) -> PurgeReceipt:
    """Make memories of the scope void; returns what the receipt says before the write-ahead log is emptied.

    `lineage.meant` says which they are. A text that was changed in the file is erased like others: its tombstone and
    its keyed hash are those of the text that stands there. What is `alike` gets a tombstone too, and no keyed hash in
    the receipt. `ValueError` if who erases it, or why, tells such a text or what is alike.
    """
    if stay_forgotten and key is None:
        raise ValueError("only a store that was opened with a key can leave tombstones")
    connection = change.connection
    before = history.last_seq(connection)
    doomed = lineage.meant(connection, memory_ids, Sight(change.sight.scope), with_line=with_line)
    among = (json.dumps(list(doomed)),)
    states = {
        memory_id: state
        for memory_id, *state in fetch_all(
            connection, f"SELECT memory_id, depth, version_id, owner FROM memory WHERE {_AMONG}", among
        )
    }
    indexed = _indexed(connection, [memory_id for memory_id, (depth, *_) in states.items() if depth > 0])
    cause = causes.present(connection)
    texts = _texts(connection, doomed)
    erased = list(itertools.chain.from_iterable(texts.values()))
    causes.refuse_quoted(cause, itertools.chain(erased, *map(alike, erased)))
    causes.erase(connection, doomed)
    connection.execute(f"DELETE FROM version WHERE {_AMONG}", among)
    connection.execute(f"UPDATE memory SET {_VOID}, use_count = 0 WHERE {_AMONG}", among)
    drop_statistics(connection)
    if indexed is None or indexes.are_many(connection, len(indexed)):
        indexes.rebuild(connection)
    else:
        indexes.leave(connection, indexed)
        indexes.forget_words(connection, erased)
    if stay_forgotten and key is not None:
        told = ((text, states[memory_id][-1]) for memory_id, each in texts.items() for text in each)
        tombstones.entomb(connection, name, key, told, alike)
    transitions = []
    for memory_id, reached_by in doomed.items():
        depth, version_id, _ = states[memory_id]
        transitions.append(Transition("purge", memory_id, depth, None, version_id, reached_by))
    history.append(connection, change.at, transitions)
    hashes = [[key.keyed_hash(text).hex() for text in each] for each in texts.values()] if key else []
    return receipts.given(connection, before, hashes, stays_forgotten=stay_forgotten)


def _texts(connection: apsw.Connection, memory_ids: Iterable[int]) -> dict[int, list[str]]:
    """All texts of these memories, older ones first."""
    texts: dict[int, list[str]] = {memory_id: [] for memory_id in memory_ids}
    query = f"SELECT memory_id, CAST(text AS BLOB) FROM version WHERE {_AMONG} ORDER BY version_id"
    for memory_id, text in fetch_all(connection, query, (json.dumps(list(texts)),)):
        texts[memory_id].append(text.decode(errors="replace"))
    return texts


def _indexed(connection: apsw.Connection, live: list[int]) -> list[tuple[int, str]] | None:
    """The texts by which live memories stand in the index; None if one of them was changed or lost in the file."""
    query = (
        f"SELECT memory.memory_id, {versions.TEXT} FROM memory JOIN version ON version.version_id = memory.version_id"
        f" WHERE memory.{_AMONG}"
    )
    try:
        found = fetch_all(connection, query, (json.dumps(live),))
    except (apsw.CorruptError, UnicodeDecodeError):
        return None
    return found if len(found) == len(live) else None


def scrub(database: Database) -> bool:
    """Rewrite indexes, statistics and file from what is left; returns False while another connection reads."""
    with database.writing() as connection:
        database.check_apart()
        indexes.rebuild(connection)
        connection.execute("INSERT INTO lexical (lexical) VALUES ('optimize')")
        drop_statistics(connection)
    database.vacuum()
    return database.checkpoint()
