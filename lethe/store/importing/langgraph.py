"""LangGraph's `SqliteStore`: its namespaces, keys, values, times and times to live."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw

from lethe.store.connection import fetch_all
from lethe.store.errors import LetheError
from lethe.store.importing import database
from lethe.store.importing.rows import Left, Row, embedded, json_of, moment, string
from lethe.store.items import SEPARATOR

_TABLES = {"store": ("prefix", "key", "value", "created_at", "updated_at", "expires_at", "ttl_minutes")}

_LONGEST = 1e9
"""Minutes that a time to live may have: some nineteen hundred years."""


def rows(file: Path, collection: str | None, left: Left) -> Iterator[Row]:
    """The items of a file, with the texts that it has vectors of; `collection` is not LangGraph's word."""
    if collection is not None:
        raise LetheError(f"{file}: LangGraph has namespaces, not collections; leave the collection out")
    with database.opened(file, _TABLES) as connection:
        is_indexed = database.has(connection, "store_vectors")
        query = f"SELECT rowid, {', '.join(_TABLES['store'])} FROM store ORDER BY updated_at, rowid"
        for number, prefix, key, value, created, updated, end, minutes in connection.execute(query):
            where = f"{file}, row {number} of store"
            told = json_of(where, value if isinstance(value, bytes) else string(where, "a value", value))
            if not isinstance(told, dict):
                raise LetheError(f"{where}: a value is an object of JSON, not {told!r:.80}; take it out")
            left["times of a last change, not kept"] += updated != created
            yield Row(
                where,
                tuple(string(where, "a namespace", prefix).split(SEPARATOR)),
                key,
                told,
                _texts(connection, prefix, key, told) if is_indexed else (),
                moment(where, created),
                moment(where, end),
                None if minutes is None else 60.0 * _number(where, minutes),
            )


def _texts(connection: apsw.Connection, prefix: str, key: str, value: dict[str, Any]) -> Sequence[tuple[str, Any]]:
    query = "SELECT field_name FROM store_vectors WHERE prefix = ? AND key = ? ORDER BY rowid"
    fields = [field for (field,) in fetch_all(connection, query, (prefix, key))]
    return [each for field in fields for each in _text(value, string(f"{prefix} {key}", "a field", field))]


def _text(value: dict[str, Any], field: str) -> list[tuple[str, Any]]:
    """The text of a field, with its place; a vector that was left from an older value has none.

    Of several texts under a path, the name of each ends in its number.
    """
    try:
        from langgraph.store.base import get_text_at_path
    except ImportError as error:
        raise LetheError("a SqliteStore with vectors needs langgraph; pip install 'lethe-store[langgraph]'") from error
    path, _, number = field.rpartition(".")
    alone, several = get_text_at_path(value, field), get_text_at_path(value, path)
    if len(alone) == 1:
        return embedded(alone[0], [field, 0])
    n = int(number) if path and re.fullmatch("[0-9]{1,9}", number) else len(several)
    return embedded(several[n], [path, n]) if n < len(several) else []


def _number(where: str, given: Any) -> float:
    if not isinstance(given, int | float) or not 0 < given < _LONGEST:
        raise LetheError(f"{where}: {given!r:.80} is not a number of minutes; mend it there, or take it out")
    return float(given)
