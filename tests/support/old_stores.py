"""Stores as earlier formats had them, made from one of today."""

import apsw


def make_format_3(connection: apsw.Connection) -> None:
    """Take out what came with format 4; the index stays, with the words between spaces that a test's texts have."""
    connection.execute("DROP TABLE form; DROP TABLE receipt; DROP VIEW live").fetchall()
    connection.execute("ALTER TABLE store DROP COLUMN words; ALTER TABLE store DROP COLUMN half_life_days").fetchall()
    connection.execute("CREATE VIEW live AS SELECT memory_id FROM memory; PRAGMA user_version = 3").fetchall()
