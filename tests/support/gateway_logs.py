"""Looking into a cache file from outside."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def rows(cache: Path, table: str) -> list[dict[str, Any]]:
    order = "call" if table == "calls" else "made_at"
    with closing(sqlite3.connect(cache)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(f"SELECT * FROM {table} ORDER BY {order}")]
