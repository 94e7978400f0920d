"""Reading rows through apsw, whose own types know nothing of the columns asked for."""

from collections.abc import Sequence
from typing import Any

import apsw


def fetch_all(connection: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """All rows of a query."""
    return connection.execute(query, bindings).fetchall()


def fetch_row(connection: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> tuple[Any, ...] | None:
    """The first row of a query, None if it has none; the statement is run to its end."""
    rows = fetch_all(connection, query, bindings)
    return rows[0] if rows else None


def fetch_value(connection: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> Any:
    """The only column of the only row of a query."""
    ((value,),) = fetch_all(connection, query, bindings)
    return value
