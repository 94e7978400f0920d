"""Versions of memories: each text is stored with its checksum, so that one changed in the file is not read as true."""

import hashlib
import json
import math
import secrets
from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring_ascii
from typing import Any, NamedTuple

import apsw
import numpy as np
import numpy.typing as npt

from lethe.store.normalisation import form_hashes
from lethe.store.scope import Kept

SALT_BYTES = 16
_STATE = (
    "version.salt",
    "version.checksum",
    "version.version_id",
    "version.memory_id",
    *(f"memory.{name}" for name in Kept._fields),
    "version.text",
    "version.vector",
    "memory.version_id",
    "memory.depth",
    "iif(keyed(), (SELECT digest FROM seal WHERE seal.memory_id = version.memory_id), NULL)",
    "iif(keyed(), (SELECT max(seq) FROM event WHERE event.memory_id = version.memory_id), NULL)",
)
TEXT = f"intact({', '.join(_STATE)})"
"""What a query over `memory` and `version` selects in order to read `version.text`; `apsw.CorruptError` for one whose
text, vector, scope, end or state was changed in the file."""


class Version(NamedTuple):
    """A text of a memory, its vector as little-endian float32, and its writer's signature (`lethe.store.signing`)."""

    version_id: int
    memory_id: int
    text: str
    vector: bytes
    signature: bytes | None = None


def add(connection: apsw.Connection, versions: Sequence[Version], kept: Sequence[Kept]) -> list[bytes]:
    """Store versions of memories, each of which was given one of `kept`; returns their checksums."""
    drawn = secrets.token_bytes(SALT_BYTES * len(versions))
    salts = [drawn[start : start + SALT_BYTES] for start in range(0, len(drawn), SALT_BYTES)]
    checksums = [
        checksum(salt, each.version_id, each.memory_id, *given, each.text, each.vector)
        for salt, each, given in zip(salts, versions, kept, strict=True)
    ]
    rows = zip(versions, salts, checksums, strict=True)
    store(connection, [(*each, salt, digest) for each, salt, digest in rows])
    return checksums


def renew(
    connection: apsw.Connection, version_id: int, memory_id: int, kept: Sequence[Any], text: str, vector: bytes
) -> bytes:
    """Give a version a vector and the checksum of what its memory is given; returns that."""
    salt = new_salt()
    digest = checksum(salt, version_id, memory_id, *kept, text, vector)
    connection.execute(
        "UPDATE version SET vector = ?, salt = ?, checksum = ? WHERE version_id = ?", (vector, salt, digest, version_id)
    )
    return digest


def new_salt() -> bytes:
    """Sixteen random bytes, for one checksum."""
    return secrets.token_bytes(SALT_BYTES)


def checksum(salt: bytes, version_id: int, memory_id: int, *rest: Any) -> bytes:
    """The digest of a version: `rest` is what its memory was given (`Kept`), its text and its vector."""
    *told, vector = rest
    return hashlib.sha256(salt + json_array((version_id, memory_id, *told)).encode() + b"\0" + vector).digest()


def json_array(parts: Iterable[Any]) -> str:
    """What `json.dumps` makes of a list, in half the time where it holds texts, numbers and None."""
    return f"[{', '.join(map(_json, parts))}]"


def _json(part: Any) -> str:
    kind = type(part)
    if kind is str:
        return encode_basestring_ascii(part)
    if part is None:
        return "null"
    return repr(part) if kind is int or (kind is float and math.isfinite(part)) else json.dumps(part)


def store(connection: apsw.Connection, rows: Iterable[tuple[int, int, str, bytes, bytes | None, bytes, bytes]]) -> None:
    """Store versions with salt and checksum as they are."""
    rows = list(rows)
    connection.executemany(
        "INSERT INTO version (version_id, memory_id, text, vector, signature, salt, checksum)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        rows,
    )
    connection.executemany(
        "INSERT INTO form (hash, version_id) VALUES (?, ?)",
        ((digest, version_id) for version_id, _, text, *_ in rows for digest in form_hashes(text)),
    )


def oldest(connection: apsw.Connection) -> tuple[object, object] | None:
    """The text and the vector of the oldest version that is as it was stored and has a vector of its own, or None."""
    query = f"SELECT {TEXT}, vector FROM version JOIN memory USING (memory_id) WHERE version.version_id = ?"
    for (version_id,) in connection.execute("SELECT version_id FROM version ORDER BY version_id"):
        try:
            rows: list[tuple[Any, ...]] = connection.execute(query, (version_id,)).fetchall()
        except (apsw.CorruptError, UnicodeDecodeError):
            continue
        if rows and rows[0][1] != _placeholder_like(rows[0][1]):
            return rows[0][0], rows[0][1]
    return None


def placeholder(dim: int) -> npt.NDArray[np.float32]:
    """The vector of an item that has none: no search compares it."""
    vector = np.zeros(dim, dtype="<f4")
    vector[0] = 1.0
    return vector


def _placeholder_like(vector: object) -> bytes | None:
    """The bytes that stand for no vector where this one stands; None for what is no vector."""
    return placeholder(len(vector) // 4).tobytes() if isinstance(vector, bytes) and len(vector) >= 4 else None
