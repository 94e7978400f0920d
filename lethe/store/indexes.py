"""The two indexes of live memories: FTS5 (`lexical`) and vec0 (`vectors`)."""

from collections.abc import Sequence

import apsw


def enter(connection: apsw.Connection, memories: Sequence[tuple[int, str, bytes]]) -> None:
    """Bring memories into recall, each given as (memory_id, text, vector as little-endian float32)."""
    connection.executemany(
        "INSERT INTO lexical (rowid, text) VALUES (?, ?)", ((memory_id, text) for memory_id, text, _ in memories)
    )
    connection.executemany(
        "INSERT INTO vectors (memory_id, vector) VALUES (?, ?)",
        ((memory_id, vector) for memory_id, _, vector in memories),
    )


def leave(connection: apsw.Connection, memory_id: int, text: str) -> None:
    """Take one memory out of recall; `text` must be what was indexed, since FTS5 finds its tokens by it."""
    connection.execute("INSERT INTO lexical (lexical, rowid, text) VALUES ('delete', ?, ?)", (memory_id, text))
    connection.execute("DELETE FROM vectors WHERE memory_id = ?", (memory_id,))
