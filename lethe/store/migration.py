"""Older formats of a store's file, brought up to the present one in one transaction when it is opened."""

import apsw

from lethe.store import normalisation
from lethe.store.connection import SCHEMA, SCHEMA_VERSION, fetch_all
from lethe.store.words import KNOWN, TOKENIZERS

OLDEST = 3


def upgrade(connection: apsw.Connection) -> None:
    """Bring a store of format 3 to the present format; nothing changes for one that another process has brought."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if fetch_all(connection, "PRAGMA user_version") == [(OLDEST,)]:
            _create(connection, "receipt")
            _bring_normal_forms(connection)
            _index_again(connection)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _create(connection: apsw.Connection, table: str) -> None:
    """Make a table of the present format, with what follows it in the schema up to a blank line."""
    start = SCHEMA.index(f"CREATE TABLE {table} ")
    connection.execute(SCHEMA[start : SCHEMA.index("\n\n", start)]).fetchall()


def _bring_normal_forms(connection: apsw.Connection) -> None:
    _create(connection, "form")
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
