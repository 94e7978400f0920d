"""The index of live memories by their words: FTS5 (`lexical`)."""

from collections.abc import Sequence

import apsw


def enter(connection: apsw.Connection, memories: Sequence[tuple[int, str]]) -> None:
    """Bring memories into recall, each given as (memory_id, text)."""
    connection.executemany("INSERT INTO lexical (rowid, text) VALUES (?, ?)", memories)


def leave(connection: apsw.Connection, memories: Sequence[tuple[int, str]]) -> None:
    """Take memories out of recall, each given as (memory_id, the text indexed): FTS5 finds its tokens by it."""
    connection.executemany("INSERT INTO lexical (lexical, rowid, text) VALUES ('delete', ?, ?)", sorted(memories))


def rebuild(connection: apsw.Connection) -> None:
    """Make the index anew from the live memories, where it cannot be told what stands in it."""
    connection.execute("INSERT INTO lexical (lexical) VALUES ('rebuild')")
