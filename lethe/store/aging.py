"""Use and age: memories that are used rise towards the surface, the others sink."""

from collections.abc import Sequence

import apsw

from lethe.store import memories, versions
from lethe.store.connection import fetch_all, fetch_value
from lethe.store.depth import aged, promoted

SECONDS_PER_DAY = 86_400.0


def touch(connection: apsw.Connection, memory_ids: Sequence[int], at: float) -> None:
    """Record one use of each live memory; a submerged one is left alone, so that it does not rise by itself."""
    connection.executemany(
        "UPDATE memory SET last_used_at = max(last_used_at, ?), use_count = use_count + 1"
        " WHERE memory_id = ? AND depth > 0.0",
        ((at, memory_id) for memory_id in memory_ids),
    )


def consolidate(connection: apsw.Connection, now: float, half_life_days: float) -> int:
    """Move every unpinned live memory according to its use since the last consolidation; returns how many moved."""
    consolidated_at = fetch_value(connection, "SELECT consolidated_at FROM store")
    live = fetch_all(
        connection,
        f"SELECT memory.memory_id, memory.version_id, memory.depth, {versions.TEXT}, memory.last_used_at,"
        " memory.use_count FROM memory JOIN version ON version.version_id = memory.version_id"
        " WHERE memory.depth > 0.0 ORDER BY memory.memory_id",
    )
    moves = []
    for *fields, last_used_at, use_count in live:
        memory = memories.Current(*fields)
        since = last_used_at if consolidated_at is None else max(last_used_at, consolidated_at)
        if use_count:
            depth = promoted(memory.depth, use_count)
        else:
            depth = aged(memory.depth, (now - since) / SECONDS_PER_DAY, half_life_days)
        if depth != memory.depth:
            moves.append((memory, depth))
    memories.shift(connection, now, "consolidate", moves)
    connection.execute("UPDATE memory SET use_count = 0 WHERE use_count > 0")
    connection.execute("UPDATE store SET consolidated_at = max(coalesce(consolidated_at, ?), ?)", (now, now))
    return len(moves)
