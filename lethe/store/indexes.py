"""The index of live memories by their words: FTS5 (`lexical`)."""

from collections.abc import Sequence

import apsw


def enter(connection: apsw.Connection, memories: Sequence[tuple[int, str]]) -> None:
    """Bring memories into recall, each given as (memory_id, text)."""
    connection.executemany("INSERT INTO lexical (rowid, text) VALUES (?, ?)", memories)


def leave(connection: apsw.Connection, memory_id: int, text: str) -> None:
    """Take one memory out of recall; `text` must be what was indexed, since FTS5 finds its tokens by it."""
    connection.execute("INSERT INTO lexical (lexical, rowid, text) VALUES ('delete', ?, ?)", (memory_id, text))
