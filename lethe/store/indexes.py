"""The index of live memories by their words: FTS5 (`lexical`)."""

from collections.abc import Iterator, Sequence

import apsw

from lethe.store.connection import fetch_value, set_format
from lethe.store.normalisation import form_hashes
from lethe.store.words import indexed

_REBUILD = 24
"""Making the index anew is faster than taking more than one in so many of its memories out, and as thorough."""


def way(connection: apsw.Connection) -> str:
    """How the store takes texts apart into words (`lethe.store.words`)."""
    return str(fetch_value(connection, "SELECT words FROM store"))


def enter(connection: apsw.Connection, memories: Sequence[tuple[int, str]]) -> None:
    """Bring memories into recall, each given as (memory_id, text)."""
    words = way(connection)
    rows = ((memory_id, indexed(text, words)) for memory_id, text in memories)
    connection.executemany("INSERT INTO lexical (rowid, text) VALUES (?, ?)", rows)


def leave(connection: apsw.Connection, memories: Sequence[tuple[int, str]]) -> None:
    """Take memories out of recall, each given as (memory_id, the text indexed): FTS5 finds its tokens by it."""
    words = way(connection)
    rows = ((memory_id, indexed(text, words)) for memory_id, text in sorted(memories))
    connection.executemany("INSERT INTO lexical (lexical, rowid, text) VALUES ('delete', ?, ?)", rows)


def are_many(connection: apsw.Connection, leaving: int) -> bool:
    """Whether so many memories leave the index that it is made anew of those that stay."""
    limit = leaving * _REBUILD
    query = "SELECT count(*) FROM (SELECT 1 FROM memory WHERE depth > 0.0 LIMIT ?)"
    return leaving > 1 and int(fetch_value(connection, query, (limit,))) < limit


def rebuild(connection: apsw.Connection) -> None:
    """Make the index anew from the live memories, where it cannot be told what stands in it."""
    connection.execute("INSERT INTO lexical (lexical) VALUES ('rebuild')")
    set_format(connection)


def problems(connection: apsw.Connection) -> Iterator[str]:
    """What the indexes by words and by texts do not hold, or hold beyond the texts, a line each; reads all of them."""
    try:
        # With the rank 1, FTS5 compares the index with the texts.
        connection.execute("INSERT INTO lexical (lexical, rank) VALUES ('integrity-check', 1)")
    except apsw.CorruptError:
        yield "the index by words is not that of the texts"
    stored = set(connection.execute("SELECT version_id, hash FROM form"))
    texts = connection.execute("SELECT version_id, text FROM version")
    if stored != {(version_id, digest) for version_id, text in texts for digest in form_hashes(text)}:
        yield "the index by texts is not that of the texts"
