"""Older formats of a store's file, brought up to the present one in one transaction when it is opened."""

import hashlib
from collections.abc import Iterator

import apsw

from lethe.store import history, indexes, normalisation, versions
from lethe.store.connection import SCHEMA, SCHEMA_VERSION, fetch_all, fetch_value
from lethe.store.history import Transition
from lethe.store.scope import Kept
from lethe.store.words import KNOWN, TOKENIZERS

OLDEST, _WITH_CONSOLIDATIONS, _WITH_SIGNATURES, _WITH_CAUSES = 3, 5, 6, 7
# In format 3 each consolidation wrote what had sunk by then, whatever the half-life was.
_CONSOLIDATIONS = """
INSERT INTO consolidation
    SELECT (SELECT coalesce(max(seq), 0) FROM event), consolidated_at, coalesce(half_life_days, 30.0) FROM store
    WHERE consolidated_at IS NOT NULL;
UPDATE memory SET last_used_at = max(last_used_at, (SELECT consolidated_at FROM store))
    WHERE depth IS NOT NULL AND (SELECT consolidated_at IS NOT NULL AND half_life_days IS NULL FROM store);
ALTER TABLE store DROP COLUMN consolidated_at;
ALTER TABLE store DROP COLUMN half_life_days;
"""
_ADDED = """
ALTER TABLE version ADD COLUMN salt BLOB NOT NULL DEFAULT x'';
ALTER TABLE event ADD COLUMN commitment BLOB;
ALTER TABLE store ADD COLUMN head BLOB;
ALTER TABLE tombstone RENAME TO older;
"""
_SIGNATURES_AND_EMBEDDERS = """
ALTER TABLE version ADD COLUMN signature BLOB;
ALTER TABLE store ADD COLUMN embedded INTEGER NOT NULL DEFAULT 0;
ALTER TABLE store ADD COLUMN next_embedder TEXT;
ALTER TABLE store ADD COLUMN next_dim INTEGER;
"""


def upgrade(connection: apsw.Connection) -> None:
    """Bring a store to the present format; nothing changes for one that another process has brought.

    Every page and the index by words are made anew: up to format 7 something of what was erased could be left on a page
    (`pages`), and words of a text that was edited in the index; up to format 8, words in the list of the index's pages.
    """
    connection.execute("PRAGMA journal_mode = WAL; PRAGMA auto_vacuum = NONE; VACUUM").fetchall()
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = fetch_value(connection, "PRAGMA user_version")
        if found < _WITH_CAUSES:
            _create(connection, "cause")
            connection.execute("ALTER TABLE event ADD COLUMN cause BLOB")
        if found == OLDEST:
            _bring_format_3(connection)
        if found < _WITH_CONSOLIDATIONS:
            _bring_consolidations(connection)
        if found < _WITH_SIGNATURES:
            _create(connection, "reembedded")
            connection.execute(_SIGNATURES_AND_EMBEDDERS).fetchall()
        indexes.rebuild(connection)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _bring_format_3(connection: apsw.Connection) -> None:
    for table in ("form", "seal", "receipt"):
        _create(connection, table)
    connection.execute(_ADDED).fetchall()
    _create(connection, "tombstone")
    connection.execute("INSERT INTO tombstone (keyed_hash) SELECT keyed_hash FROM older; DROP TABLE older").fetchall()
    _bring_normal_forms(connection)
    _index_again(connection)
    _commit_to_versions(connection)


def _bring_consolidations(connection: apsw.Connection) -> None:
    """Give the consolidations a table; of those that were before, the last alone is known."""
    for table in ("lifted", "consolidation"):
        _create(connection, table)
    connection.execute(_CONSOLIDATIONS).fetchall()


def _create(connection: apsw.Connection, table: str) -> None:
    """Make a table of the present format, with what follows it in the schema up to a blank line."""
    start = SCHEMA.index(f"CREATE TABLE {table} ")
    connection.execute(SCHEMA[start : SCHEMA.index("\n\n", start)]).fetchall()


def _bring_normal_forms(connection: apsw.Connection) -> None:
    for name in ("owner", "session", "source"):
        given = fetch_all(connection, f"SELECT DISTINCT {name} FROM memory WHERE {name} IS NOT NULL")
        connection.executemany(
            f"UPDATE memory SET {name} = ? WHERE {name} = ?",
            ((normalisation.name_form(old), old) for (old,) in given if normalisation.name_form(old) != old),
        )
    connection.executemany(
        "INSERT INTO form (hash, version_id) VALUES (?, ?)",
        (
            (digest, version_id)
            for version_id, text in fetch_all(connection, "SELECT version_id, text FROM version")
            for digest in normalisation.form_hashes(text)
        ),
    )


def _index_again(connection: apsw.Connection) -> None:
    """Take the texts apart into the words of every language."""
    connection.execute(f"ALTER TABLE store ADD COLUMN words TEXT NOT NULL DEFAULT '{KNOWN[0]}'")
    connection.execute(
        "ALTER TABLE store ADD COLUMN half_life_days REAL; DROP TABLE lexical; DROP VIEW live"
    ).fetchall()
    start = SCHEMA.index("CREATE VIEW live")
    connection.execute(SCHEMA[start : SCHEMA.index("\n\n--", start)].format(tokenizer=TOKENIZERS[KNOWN[0]])).fetchall()
    connection.execute("INSERT INTO lexical (rowid, text) SELECT memory_id, text FROM live")


def _commit_to_versions(connection: apsw.Connection) -> None:
    """Give each version the checksum of this format, and log it; one that its old checksum does not fit stays unfit."""
    ids = [version_id for (version_id,) in fetch_all(connection, "SELECT version_id FROM version ORDER BY version_id")]
    at = fetch_value(connection, "SELECT coalesce(max(at), 0.0) FROM event")
    history.append(connection, at, _committed(connection, ids))


def _committed(connection: apsw.Connection, version_ids: list[int]) -> Iterator[Transition]:
    for version_id in version_ids:
        (row,) = fetch_all(
            connection,
            f"SELECT version.memory_id, depth, {', '.join(Kept._fields)}, text, vector, checksum"
            " FROM version JOIN memory USING (memory_id) WHERE version.version_id = ?",
            (version_id,),
        )
        memory_id, depth, *told, checksum = row
        if hashlib.sha256(told[-2].encode()).digest() == checksum:
            salt = versions.new_salt()
            checksum = versions.checksum(salt, version_id, memory_id, *told)
            connection.execute(
                "UPDATE version SET salt = ?, checksum = ? WHERE version_id = ?", (salt, checksum, version_id)
            )
        yield Transition("commit", memory_id, depth, depth, version_id, None, checksum.hex())
