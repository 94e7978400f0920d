"""One connection to SQLite with FTS5 and sqlite-vec: transactions, queries, and driver errors told in one line."""

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import sqlite_vec

from lethe.errors import LetheError

APPLICATION_ID = 0x4C455448  # "LETH"
SCHEMA_VERSION = 1
BUSY_TIMEOUT_MS = 5000
CHECKPOINT_TIMEOUT_MS = 250
DATA_FILES = ("schema.sql",)
SCHEMA = Path(__file__).with_name(DATA_FILES[0]).read_text(encoding="utf-8")
PRAGMAS = """
PRAGMA secure_delete = ON;
PRAGMA foreign_keys = ON;
PRAGMA temp_store = MEMORY;
"""
REASONS: dict[type[apsw.Error], str] = {
    apsw.BusyError: "is locked by another process; let that finish, then try again",
    apsw.CantOpenError: "cannot be opened; check that its directory exists and may be written",
    apsw.ConnectionClosedError: "is closed; open it again",
    apsw.CorruptError: "is damaged; restore it from a backup",
    apsw.FullError: "has no room to grow; free disk space, then try again",
    apsw.IOError: "could not be read or written; check the disk it is on",
    apsw.NotADBError: "is not a Lethe store; name another file",
    apsw.ReadOnlyError: "is read-only; fix the permissions of the file and of its directory",
}


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


@contextmanager
def one_line_errors(path: str) -> Iterator[None]:
    """Turn what the user can put right about the file at `path` into a `LetheError`."""
    try:
        yield
    except tuple(REASONS) as error:
        reason = next(reason for kind, reason in REASONS.items() if isinstance(error, kind))
        raise LetheError(f"store {path} {reason}") from error


def connect(path: str) -> apsw.Connection:
    """Open a connection with sqlite-vec loaded; `LetheError` if FTS5 or extension loading is missing."""
    if "ENABLE_FTS5" not in apsw.compile_options:
        raise LetheError("this SQLite has no FTS5; install the apsw wheel from PyPI, which carries it")
    connection = apsw.Connection(path)
    try:
        connection.enable_load_extension(True)
        connection.load_extension(sqlite_vec.loadable_path())
        connection.enable_load_extension(False)
    except (apsw.ExtensionLoadingError, AttributeError) as error:
        connection.close()
        raise LetheError("SQLite cannot load sqlite-vec; install the apsw and sqlite-vec wheels from PyPI") from error
    return connection


def create(connection: apsw.Connection, dim: int, chunk_size: int) -> None:
    """Create the tables of an empty store."""
    connection.execute(SCHEMA.format(dim=dim, chunk_size=chunk_size)).fetchall()
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION}")


@functools.cache
def empty_image(dim: int, chunk_size: int) -> bytes:
    """The bytes of an empty store; copying them takes a tenth of the time of creating the tables."""
    connection = connect(":memory:")
    create(connection, dim, chunk_size)
    image = bytes(connection.serialize("main"))
    connection.close()
    return image


class Database:
    """One connection to one store, in a file or in memory (`path` ":memory:").

    A file is kept in WAL mode. Raises `LetheError` if it cannot be opened or written, is not a store, or was
    made with another `dim` (numbers per vector) or schema version.
    """

    def __init__(self, path: str | Path, *, dim: int, chunk_size: int) -> None:
        self.path = str(path)
        self.in_memory = self.path == ":memory:"
        self._dim = dim
        self._chunk_size = chunk_size
        with one_line_errors(self.path):
            self.connection = connect(self.path)
        try:
            with one_line_errors(self.path):
                self._prepare()
        except BaseException:
            self.connection.close()
            raise

    def _prepare(self) -> None:
        self.connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        self.connection.execute(PRAGMAS).fetchall()
        if self.in_memory:
            self._copy_empty()
            return
        if self.connection.readonly("main"):
            raise LetheError(f"store {self.path} {REASONS[apsw.ReadOnlyError]}")
        if not self._is_empty():
            self._check_format()
        self.connection.execute("PRAGMA journal_mode = WAL").fetchall()
        with self.writing() as connection:
            if self._is_empty():
                create(connection, self._dim, self._chunk_size)
        self._check_format()

    def _copy_empty(self) -> None:
        source = apsw.Connection(":memory:")
        source.deserialize("main", empty_image(self._dim, self._chunk_size))
        with self.connection.backup("main", source, "main") as backup:
            backup.step()
        source.close()

    def _is_empty(self) -> bool:
        return fetch_row(self.connection, "SELECT 1 FROM sqlite_schema LIMIT 1") is None

    def _check_format(self) -> None:
        if self._pragma("application_id") != APPLICATION_ID:
            raise LetheError(f"store {self.path} {REASONS[apsw.NotADBError]}")
        schema_version = self._pragma("user_version")
        if schema_version != SCHEMA_VERSION:
            raise LetheError(
                f"store {self.path} has schema version {schema_version}, but this Lethe writes {SCHEMA_VERSION}; "
                "use the Lethe that made it, or another file"
            )
        dim = fetch_value(self.connection, "SELECT dim FROM store")
        if dim != self._dim:
            raise LetheError(
                f"store {self.path} was made for vectors of {dim} numbers, but the embedder gives {self._dim}; "
                "use the embedder it was made with, or another file"
            )

    def _pragma(self, name: str) -> int:
        return int(fetch_value(self.connection, f"PRAGMA {name}"))

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """One consistent view over several queries."""
        with one_line_errors(self.path), self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """One transaction: all of it is stored or, on any exception, none of it."""
        with one_line_errors(self.path), self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[apsw.Connection]:
        self.connection.execute(begin)
        try:
            yield self.connection
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    def changes_by_others(self) -> int:
        """A number that changes whenever another connection has changed the file."""
        return self._pragma("data_version")

    def checkpoint(self) -> bool:
        """Move the write-ahead log into the file and empty it.

        Returns False if another connection is in the way for 0.25 s, or if the disk is full or failing. What was
        committed stands either way, so this is not an error.
        """
        if self.in_memory:
            return True
        self.connection.set_busy_timeout(CHECKPOINT_TIMEOUT_MS)
        try:
            ((busy, _, _),) = fetch_all(self.connection, "PRAGMA wal_checkpoint(TRUNCATE)")
        except (apsw.BusyError, apsw.FullError, apsw.IOError):
            return False
        finally:
            self.connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        return not busy

    def vacuum(self) -> None:
        """Rewrite the file from its live pages only."""
        # The copy holds only what was kept, so it may go through a temporary file instead of memory.
        self.connection.execute("PRAGMA temp_store = FILE")
        try:
            with one_line_errors(self.path):
                self.connection.execute("VACUUM")
        finally:
            self.connection.execute("PRAGMA temp_store = MEMORY")

    def clear(self) -> None:
        """Replace the contents with those of a newly made store."""
        with one_line_errors(self.path):
            self._copy_empty()
            self.checkpoint()

    def serialized(self) -> bytes:
        """The whole database as the bytes of a database file."""
        with one_line_errors(self.path):
            return bytes(self.connection.serialize("main"))

    def close(self) -> None:
        """Close the connection; closing twice is harmless."""
        self.connection.close()
