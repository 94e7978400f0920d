"""Another embedder for a file, in steps: the new vectors are laid beside the old ones, and take their place at once.

Until then the file is what it was, for readers and for writers, and a step that was interrupted is taken again. From
then on every store that was opened before is refused, so that no vector is compared with one of another model.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Optional

import apsw

from lethe.store import history, versions
from lethe.store.connection import fetch_all, fetch_only, fetch_value
from lethe.store.errors import LetheError
from lethe.store.history import Transition
from lethe.store.scope import Kept

if TYPE_CHECKING:
    from lethe.store.keys import Key

STEP = 256
"""Texts that are embedded and stored at a time."""
_FROM = "version JOIN memory USING (memory_id)"
_ITEM = (
    f"SELECT EXISTS (SELECT 1 FROM {_FROM} WHERE memory.session IS NOT NULL AND memory.source IS NOT NULL"
    " AND json_valid(version.text) AND json_type(version.text, '$.value') = 'object')"
)


def begin(connection: apsw.Connection, name: str, embedder: str, dim: int) -> None:
    """Say for which embedder vectors are laid aside; those of another one go.

    `LetheError` for a file of items, whose vectors are of a part of their text that only their adapter knows, and for
    one that is sealed under a key that is not there.
    """
    connection.execute("SELECT is_to_be_sealed(head) FROM store").fetchall()
    if fetch_value(connection, _ITEM):
        raise LetheError(f"store {name} holds items of an adapter, which embeds them; put them into a new file")
    begun = fetch_only(connection, "SELECT next_embedder, next_dim FROM store")
    if begun != (embedder, dim):
        connection.execute("DELETE FROM reembedded")
        connection.execute("UPDATE store SET next_embedder = ?, next_dim = ?", (embedder, dim))


def check_begun(connection: apsw.Connection, name: str, embedder: str, dim: int) -> None:
    """`LetheError` if the vectors that are laid aside are for another embedder."""
    begun, size = fetch_only(connection, "SELECT next_embedder, next_dim FROM store")
    if (begun, size) != (embedder, dim):
        raise LetheError(f"store {name} is re-embedded with {begun!r} meanwhile, or was emptied; start only one, again")


def waiting(connection: apsw.Connection) -> list[tuple[int, str]]:
    """The next texts without a new vector, by the number of their version; `apsw.CorruptError` for a changed one."""
    query = (
        f"SELECT version.version_id, {versions.TEXT} FROM {_FROM}"
        " WHERE version.version_id > (SELECT coalesce(max(version_id), 0) FROM reembedded)"
        " ORDER BY version.version_id LIMIT ?"
    )
    return fetch_all(connection, query, (STEP,))


def lay_aside(
    connection: apsw.Connection, key: Optional["Key"], told: Sequence[tuple[int, str]], vectors: Sequence[bytes]
) -> None:
    """Store new vectors for texts that are still there; what was erased meanwhile gets none."""
    for (version_id, text), vector in zip(told, vectors, strict=True):
        query = "SELECT checksum FROM version WHERE version_id = ? AND text = ?"
        for (checksum,) in fetch_all(connection, query, (version_id, text)):
            connection.execute(
                "INSERT OR REPLACE INTO reembedded (version_id, vector, seal) VALUES (?, ?, ?)",
                (version_id, vector, _seal(key, checksum, vector)),
            )


def keep_aside(
    connection: apsw.Connection, key: Optional["Key"], version_id: int, older: bytes, checksum: bytes
) -> None:
    """Seal the vector that is laid aside for a version, if it was sealed with its older checksum, with the new one."""
    query = "SELECT vector, seal FROM reembedded WHERE version_id = ?"
    for vector, seal in fetch_all(connection, query, (version_id,)):
        if seal == _seal(key, older, vector):
            again = "UPDATE reembedded SET seal = ? WHERE version_id = ?"
            connection.execute(again, (_seal(key, checksum, vector), version_id))


def take_over(connection: apsw.Connection, name: str, key: Optional["Key"], at: float) -> None:
    """Give every text its new vector, and log what the file now vouches for; all of them are there.

    `LetheError` if one was changed in the file.
    """
    embedder, dim = fetch_only(connection, "SELECT next_embedder, next_dim FROM store")
    ids = fetch_all(connection, "SELECT version_id FROM version ORDER BY version_id")
    for start in range(0, len(ids), STEP):
        history.append(connection, at, _renewed(connection, name, key, [each for (each,) in ids[start : start + STEP]]))
    connection.execute("DELETE FROM reembedded")
    connection.execute(
        "UPDATE store SET embedder = ?, dim = ?, embedded = ?, next_embedder = NULL, next_dim = NULL",
        (embedder, dim, history.last_seq(connection)),
    )


def _renewed(
    connection: apsw.Connection, name: str, key: Optional["Key"], version_ids: Sequence[int]
) -> Iterator[Transition]:
    for version_id in version_ids:
        memory_id, depth, old, new, seal, *told = fetch_only(
            connection,
            f"SELECT version.memory_id, memory.depth, version.checksum, reembedded.vector, reembedded.seal,"
            f" {', '.join(Kept._fields)}, {versions.TEXT} FROM {_FROM}"
            " LEFT JOIN reembedded ON reembedded.version_id = version.version_id"
            " WHERE version.version_id = ?",
            (version_id,),
        )
        if new is None or seal != _seal(key, old, new):
            raise LetheError(f"store {name} was changed while it was re-embedded; restore it from a backup")
        *kept, text = told
        digest = versions.renew(connection, version_id, memory_id, kept, text, new)
        yield Transition("commit", memory_id, depth, depth, version_id, None, digest.hex())


def _seal(key: Optional["Key"], checksum: bytes, vector: bytes) -> bytes | None:
    """What vouches for a vector that is laid aside for the version with this checksum; None without a key."""
    return None if key is None else key.seal(b"reembedded\0" + checksum + vector)
