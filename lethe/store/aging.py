"""Use and age: memories that are used rise towards the surface, the others sink."""

from collections.abc import Sequence

import apsw

from lethe.store import history, memories
from lethe.store.connection import fetch_all, fetch_only
from lethe.store.depth import CONSOLIDATED_AT, HALF_LIFE, SECONDS_PER_DAY, SUBMERGED, aged, promoted


def touch(connection: apsw.Connection, memory_ids: Sequence[int]) -> None:
    """Record one use of each live memory; a submerged one is left alone, so that it does not rise by itself."""
    connection.executemany(
        "UPDATE memory SET use_count = use_count + 1 WHERE memory_id = ? AND depth > 0.0",
        ((memory_id,) for memory_id in memory_ids),
    )


def consolidate(connection: apsw.Connection, now: float, half_life_days: float) -> int:
    """Move every unpinned live memory according to its use since the last consolidation; returns how many moved.

    Those that were used, and those that come below the floor, have an event each. The depth of the others follows from
    the moment of the consolidation and their last use.
    """
    before, half_life_before = fetch_only(connection, f"SELECT {CONSOLIDATED_AT}, {HALF_LIFE}")
    after = now if before is None else max(before, now)
    moved, moves = 0, []
    query = "SELECT memory_id, depth, last_used_at, use_count FROM memory WHERE depth > 0.0 AND depth <= 1.0"
    for memory_id, depth, since, uses in fetch_all(connection, query):
        present = depth if before is None else aged(depth, (before - since) / SECONDS_PER_DAY, half_life_before)
        unused_days = (after - since) / SECONDS_PER_DAY
        to = promoted(present, uses) if uses else aged(depth, unused_days, half_life_days)
        moved += to != present
        if uses or to == SUBMERGED:
            moves.append((memory_id, to))
    connection.execute(
        "INSERT OR REPLACE INTO consolidation (seq, moment, half_life_days) VALUES (?, ?, ?)",
        (history.last_seq(connection) + len(moves), after, half_life_days),
    )
    found = [(memories.current(connection, memory_id), depth) for memory_id, depth in sorted(moves)]
    memories.shift(connection, now, "consolidate", found)
    used = "UPDATE memory SET use_count = 0, last_used_at = max(last_used_at, ?) WHERE use_count > 0"
    connection.execute(used, (after,))
    return moved
