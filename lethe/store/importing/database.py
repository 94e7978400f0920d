"""The SQLite file of another program, read without a change to it and without a file beside it."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import apsw

from lethe.store.connection import fetch_all
from lethe.store.errors import LetheError
from lethe.store.importing.rows import MOST_BYTES, regular

_OFF = (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA)
_ON = (apsw.SQLITE_DBCONFIG_DEFENSIVE, apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)


@contextmanager
def opened(path: Path, tables: Mapping[str, Collection[str]], within: Path | None = None) -> Iterator[apsw.Connection]:
    """A file that has these tables with these columns; `LetheError` for another, and if it is written meanwhile.

    A write-ahead log that its program has left is read with it, and stays as it is: nothing is locked, which is why the
    file may not change.
    """
    file = regular(path, within)
    if _size(file, "-journal"):
        raise LetheError(f"{path}: a write to it was interrupted; open it once with its own program, then import it")
    # By SQLite's own locks, a log could only be read with a file of shared memory beside it.
    how = "mode=ro&vfs=unix-none" if _size(file, "-wal") else "immutable=1"
    before = _state(file)
    try:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        with closing(apsw.Connection(f"file:{quote(str(file))}?{how}", flags=flags)) as connection:
            for option in (*_OFF, *_ON):
                connection.config(option, option in _ON)
            connection.limit(apsw.SQLITE_LIMIT_LENGTH, MOST_BYTES)
            connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
            connection.execute("BEGIN")
            _check(connection, path, tables)
            yield connection
    except (apsw.Error, UnicodeDecodeError) as error:
        raise LetheError(f"{path}: not a database that can be read whole ({error!s:.80}); name another file") from error
    if _state(file) != before:
        raise LetheError(f"{path}: another program wrote to it meanwhile; stop that program, then import it again")


def has(connection: apsw.Connection, table: str) -> bool:
    """Whether there is a table of that name."""
    return bool(fetch_all(connection, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (table,)))


def _check(connection: apsw.Connection, path: Path, tables: Mapping[str, Collection[str]]) -> None:
    for table, needed in tables.items():
        query = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name = ?"
        columns = fetch_all(connection, "SELECT name FROM pragma_table_xinfo(?) WHERE NOT hidden", (table,))
        missing = set(needed) - {name for (name,) in columns}
        if missing or not fetch_all(connection, query, (table,)):
            what = f"the column {min(missing)} of the table {table}" if columns and missing else f"a table {table}"
            raise LetheError(f"{path}: has not {what}; name a file of that kind, written by a release of today")


def _state(file: Path) -> list[tuple[int, int] | None]:
    return [_stamp(file.with_name(file.name + end)) for end in ("", "-wal", "-journal")]


def _stamp(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_size, status.st_mtime_ns


def _size(file: Path, end: str) -> int:
    stamp = _stamp(file.with_name(file.name + end))
    return 0 if stamp is None else stamp[0]
