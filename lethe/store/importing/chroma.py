"""Chroma's persistent folder, without Chroma: a namespace for each collection, as `lethe.store.langchain` has it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw

from lethe.store.connection import fetch_all
from lethe.store.documents import TEXT
from lethe.store.errors import LetheError
from lethe.store.importing import database
from lethe.store.importing.rows import Left, Row, embedded, moment, string
from lethe.store.items import SEPARATOR

FILE = "chroma.sqlite3"
_COLLECTIONS = "SELECT id, name FROM collections ORDER BY name"
_DOCUMENT = "chroma:document"
_VALUES = ("key", "string_value", "int_value", "float_value", "bool_value")
_TABLES = {
    "collections": ("id", "name"),
    "segments": ("id", "scope", "collection"),
    "embeddings": ("id", "segment_id", "embedding_id", "created_at"),
    "embedding_metadata": ("id", *_VALUES),
    "max_seq_id": ("segment_id", "seq_id"),
    "embeddings_queue": ("seq_id", "topic"),
}


def rows(folder: Path, collection: str | None, left: Left) -> Iterator[Row]:
    """The records of a collection, by default of all; one without a document has no vector."""
    for name, where, key, created, metadata in records(folder, collection):
        text = metadata.pop(_DOCUMENT, None)
        left["without a document, kept without a vector"] += text is None
        said = "" if text is None else string(where, "the document", text)
        label = name.replace(SEPARATOR, "_")
        left[f"in the collection {name}, which is {label} here"] += label != name
        yield Row(where, (label,), key, {TEXT: said, "metadata": metadata}, embedded(said, [TEXT, 0]), created)


def records(folder: Path, collection: str | None) -> Iterator[tuple[str, str, str, float | None, dict[str, Any]]]:
    """Each record: its collection, where it was read, its id, when it was told and its metadata."""
    file = folder / FILE
    if collection not in (None, *names(folder)):
        raise LetheError(f"{file}: has no collection {collection!r:.80}; name one that it has")
    with database.opened(file, _TABLES, within=folder) as connection:
        for id, name in fetch_all(connection, _COLLECTIONS):
            if collection in (None, name):
                yield from _of_collection(connection, file, id, name)


def names(folder: Path) -> list[str]:
    """The names of the collections of a folder."""
    file = folder / FILE
    with database.opened(file, _TABLES, within=folder) as connection:
        return [string(str(file), "a collection's name", name) for _, name in fetch_all(connection, _COLLECTIONS)]


def _of_collection(
    connection: apsw.Connection, file: Path, id: str, name: str
) -> Iterator[tuple[str, str, str, float | None, dict[str, Any]]]:
    query = "SELECT segments.id, seq_id FROM segments LEFT JOIN max_seq_id ON segment_id = segments.id"
    for segment, known in fetch_all(connection, f"{query} WHERE collection = ? AND scope = 'METADATA'", (id,)):
        number = int.from_bytes(known, "big") if isinstance(known, bytes) else known or 0
        queued = "SELECT 1 FROM embeddings_queue WHERE substr(topic, -length(?1)) = ?1 AND seq_id > ?2 LIMIT 1"
        if fetch_all(connection, queued, (id, number)):
            raise LetheError(
                f"{file}: changes wait to be taken in; read the collection {name} with Chroma, then import"
            )
        listed = "SELECT id, embedding_id, created_at FROM embeddings WHERE segment_id = ? ORDER BY id"
        for row, key, created in connection.execute(listed, (segment,)):
            where = f"{file}, row {row} of embeddings"
            yield name, where, string(where, "an id", key), moment(where, created), _metadata(connection, where, row)


def _metadata(connection: apsw.Connection, where: str, row: Any) -> dict[str, Any]:
    columns = ", ".join(_VALUES)
    found = {}
    for key, *values in fetch_all(connection, f"SELECT {columns} FROM embedding_metadata WHERE id = ?", (row,)):
        found[string(where, "a key of metadata", key)] = _value(*values)
    if database.has(connection, "embedding_metadata_array"):
        lists: dict[str, list[Any]] = {}
        query = f"SELECT {columns} FROM embedding_metadata_array WHERE id = ? ORDER BY rowid"
        for key, *values in fetch_all(connection, query, (row,)):
            lists.setdefault(string(where, "a key of metadata", key), []).append(_value(*values))
        found |= lists
    return found


def _value(text: Any, whole: Any, fraction: Any, truth: Any) -> Any:
    given = next((value for value in (text, whole, fraction) if value is not None), None)
    return bool(truth) if given is None and truth is not None else given
