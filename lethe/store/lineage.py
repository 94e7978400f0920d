"""What belongs to a memory that is to be erased: the line of what it superseded, and what was derived from either."""

import json
from collections.abc import Iterable

import apsw

from lethe.store.connection import fetch_all
from lethe.store.scope import Sight

# Of a derived memory, the successors are reached too: they say in other words what came from the source. The successor
# of a memory that was asked for is not: it is what holds instead.
_LINE = """
WITH RECURSIVE line (memory_id, reached_by, is_derived) AS (
    SELECT value, NULL, false FROM json_each(?)
    UNION
    SELECT event.memory_id, line.memory_id, line.is_derived
    FROM line JOIN event ON event.successor_id = line.memory_id
    WHERE event.operation = 'supersede'
    UNION
    SELECT event.successor_id, line.memory_id, true
    FROM line JOIN event ON event.memory_id = line.memory_id
    WHERE event.operation = 'derive' OR (line.is_derived AND event.operation = 'supersede')
)
SELECT memory_id, reached_by FROM line
"""


def meant(
    connection: apsw.Connection, memory_ids: Iterable[int], sight: Sight, *, with_line: bool
) -> dict[int, int | None]:
    """The memories that a purge of these ids erases: each with the memory that led to it, None for one asked for.

    Void memories are left out, but what they lead to is not. `LookupError` for an id asked for that was never given out
    or does not count; others that do not count stay out of reach.
    """
    asked = dict.fromkeys(memory_ids)
    reached: dict[int, int | None] = {**asked}
    if with_line:
        for memory_id, reached_by in fetch_all(connection, _LINE, (json.dumps(list(asked)),)):
            reached.setdefault(memory_id, reached_by)
    condition, bindings = sight.condition()
    rows = fetch_all(
        connection,
        f"SELECT memory_id, depth IS NULL, {condition} FROM memory WHERE memory_id IN (SELECT value FROM json_each(?))",
        (*bindings, json.dumps(list(reached))),
    )
    void = {memory_id for memory_id, is_void, _ in rows if is_void}
    counting = {memory_id for memory_id, is_void, counts in rows if counts and not is_void}
    known = void | counting
    for memory_id in asked:
        if memory_id not in known:
            raise LookupError(f"there is no memory {memory_id}")
    return {memory_id: reached_by for memory_id, reached_by in reached.items() if memory_id in counting}
