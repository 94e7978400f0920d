"""What a store asks its file."""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw


@contextmanager
def statements(connection: apsw.Connection) -> Iterator[list[str]]:
    """The statements that a connection runs meanwhile, in order, each as often as it ran."""
    asked: list[str] = []
    connection.trace_v2(apsw.SQLITE_TRACE_STMT, lambda event: asked.append(event["sql"]))
    try:
        yield asked
    finally:
        connection.trace_v2(0)
