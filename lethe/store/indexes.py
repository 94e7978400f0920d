"""The index of live memories by their words: FTS5 (`lexical`)."""

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence

import apsw

from lethe.store.connection import fetch_all, fetch_value, set_format
from lethe.store.normalisation import form_hashes
from lethe.store.words import TOKENIZERS, indexed

_LONGEST_WORD = 2**15
"""The bytes that FTS5 indexes of a word."""
_LIVE_WORDS = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.live_word USING fts5vocab(main, lexical, row)"
_SEPARATORS = """
WITH RECURSIVE
    word(name) AS MATERIALIZED (SELECT CAST('0' || value AS BLOB) FROM json_each(?)),
    longest(size) AS (SELECT max(length(name)) FROM word),
    cut(size) AS (
        SELECT 2
        UNION ALL
        SELECT size + 1 FROM cut WHERE size < (
            SELECT iif(size > 64, min(size, (SELECT max(length(term)) FROM lexical_idx)), size) FROM longest
        )
    ),
    part(segid) AS (
        SELECT min(segid) FROM lexical_idx
        UNION ALL
        SELECT (SELECT min(segid) FROM lexical_idx WHERE segid > part.segid) FROM part WHERE part.segid IS NOT NULL
    )
SELECT DISTINCT lexical_idx.segid, term FROM word CROSS JOIN cut CROSS JOIN part CROSS JOIN lexical_idx
WHERE size <= length(name) AND lexical_idx.segid = part.segid AND term = substr(name, 1, size)
"""
"""Where words, or their beginnings, stand in FTS5's list of the pages of each part of the index (after a "0")."""
_NEXT_WORD = "SELECT CAST('0' || term AS BLOB) FROM temp.live_word WHERE term >= CAST(? AS TEXT) ORDER BY term LIMIT 1"
_BETWEEN = "SELECT EXISTS (SELECT 1 FROM lexical_idx WHERE segid = ? AND term > ? AND term <= ?)"
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


def forget_words(connection: apsw.Connection, texts: Iterable[str]) -> None:
    """Leave no word that only these texts had, once they have left the index, in FTS5's list of the index's pages.

    FTS5 names a page by the beginning, often the whole, of the first word on it, and keeps that name when the word is
    deleted. The next word that is there names it as well.
    """
    words = way(connection)
    name, *arguments = shlex.split(TOKENIZERS[words])
    tokenizer = connection.fts5_tokenizer(name, arguments)
    found = {
        str(word).encode()[:_LONGEST_WORD].decode(errors="ignore")
        for text in texts
        for word in tokenizer(
            indexed(text, words).encode(errors="replace"),
            apsw.FTS5_TOKENIZE_DOCUMENT,
            None,
            include_offsets=False,
            include_colocated=False,
        )
    }
    connection.execute(_LIVE_WORDS)
    fetch_all(connection, "SELECT 1 FROM temp.live_word LIMIT 1")  # which has FTS5 write what it still holds
    for part, separator in fetch_all(connection, _SEPARATORS, (json.dumps(list(found)),)):
        following = fetch_all(connection, _NEXT_WORD, (separator[1:],))
        if following and following[0][0].startswith(separator):
            continue
        if not following or fetch_value(connection, _BETWEEN, (part, separator, following[0][0])):
            rebuild(connection)
            return
        connection.execute(
            "UPDATE lexical_idx SET term = ? WHERE segid = ? AND term = ?", (following[0][0], part, separator)
        )


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
