"""Versions of memories: each text is stored with its checksum, so that one changed in the file is not read as true."""

import hashlib
from collections.abc import Iterable
from typing import Any

import apsw

from lethe.store.normalisation import form_hashes

TEXT = "intact(version.text, version.checksum)"
"""What a query selects in order to read `version.text`; `apsw.CorruptError` for one that was changed in the file."""


def add(connection: apsw.Connection, versions: Iterable[tuple[int, int, str, bytes]]) -> None:
    """Store versions, each given as (version_id, memory_id, text, vector as little-endian float32)."""
    added = list(versions)
    if any(version[2] is None for version in added):
        raise apsw.CorruptError("a version without a text")
    connection.executemany(
        "INSERT INTO version (version_id, memory_id, text, vector, checksum) VALUES (?, ?, ?, ?, ?)",
        ((*version, _checksum(version[2])) for version in added),
    )
    connection.executemany(
        "INSERT INTO form (hash, version_id) VALUES (?, ?)",
        ((digest, version[0]) for version in added for digest in form_hashes(version[2])),
    )


def oldest(connection: apsw.Connection) -> tuple[object, object] | None:
    """The text and the vector of the oldest version whose text is the one that was stored; None if there is none."""
    query = f"SELECT {TEXT}, vector FROM version WHERE version_id = ?"
    for (version_id,) in connection.execute("SELECT version_id FROM version ORDER BY version_id"):
        try:
            rows: list[tuple[Any, ...]] = connection.execute(query, (version_id,)).fetchall()
        except (apsw.CorruptError, UnicodeDecodeError):
            continue
        return rows[0][0], rows[0][1]
    return None


def intact(text: str | None, checksum: bytes | None) -> str | None:
    """The SQL function of that name: the text, None where a join found no version."""
    if (text, checksum) != (None, None) and (not isinstance(text, str) or _checksum(text) != checksum):
        raise apsw.CorruptError("a text is not the one that was stored")
    return text


def _checksum(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
