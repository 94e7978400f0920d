"""The two indexes over live rows: FTS5 (`lexical`) and vec0 (`vectors`)."""

from collections.abc import Sequence

import apsw


def enter(connection: apsw.Connection, rows: Sequence[tuple[int, str, bytes]]) -> None:
    """Make rows recallable: (memory_id, text, vector as little-endian float32)."""
    connection.executemany(
        "INSERT INTO lexical (rowid, text) VALUES (?, ?)", ((memory_id, text) for memory_id, text, _ in rows)
    )
    connection.executemany(
        "INSERT INTO vectors (memory_id, vector) VALUES (?, ?)",
        ((memory_id, vector) for memory_id, _, vector in rows),
    )


def leave(connection: apsw.Connection, memory_id: int, text: str) -> None:
    """Take one row out of recall; `text` is exactly what was indexed, for FTS5 finds its tokens by it."""
    connection.execute("INSERT INTO lexical (lexical, rowid, text) VALUES ('delete', ?, ?)", (memory_id, text))
    connection.execute("DELETE FROM vectors WHERE memory_id = ?", (memory_id,))
