"""One connection to SQLite with FTS5 and sqlite-vec: transactions, queries, and driver errors told in one line."""

import contextlib
import errno
import functools
import os
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import sqlite_vec

from lethe.errors import LetheError
from lethe.store import versions

APPLICATION_ID = 0x4C455448  # "LETH"
SCHEMA_VERSION = 2
BUSY_TIMEOUT_MS = 5000
CHECKPOINT_TIMEOUT_MS = 250
DATA_FILES = ("schema.sql",)
SCHEMA = Path(__file__).with_name(DATA_FILES[0]).read_text(encoding="utf-8")
PRAGMAS = """
PRAGMA secure_delete = ON;
PRAGMA foreign_keys = ON;
PRAGMA temp_store = MEMORY;
"""
DAMAGED = "is damaged; restore it from a backup"
REASONS: dict[type[Exception], str] = {
    apsw.BusyError: "is locked by another process; let that finish, then try again",
    **dict.fromkeys(
        (apsw.CantOpenError, OSError),
        "cannot be opened; check its name, and that its directory exists and may be written",
    ),
    apsw.ConnectionClosedError: "is closed; open it again",
    apsw.CorruptError: DAMAGED,
    apsw.FullError: "has no room to grow; free disk space, then try again",
    apsw.IOError: "could not be read or written; check the disk it is on",
    apsw.NotADBError: "is not a Lethe store; name another file",
    apsw.ReadOnlyError: "is read-only; fix the permissions of the file and of its directory",
    apsw.ThreadingViolationError: (
        "is in the middle of another operation; let one thread at a time use it, or open its file once in each thread"
    ),
    # What SQL, types and text come to where tables, columns or bytes are not what this module wrote.
    **dict.fromkeys((apsw.SQLError, apsw.ConstraintError, apsw.MismatchError), DAMAGED),
    **dict.fromkeys((KeyError, OverflowError, TypeError, UnicodeDecodeError), DAMAGED),
}


def fetch_all(connection: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """All rows of a query."""
    return connection.execute(query, bindings).fetchall()


def fetch_row(connection: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> tuple[Any, ...] | None:
    """The first row of a query, None if it has none; the statement is run to its end."""
    rows = fetch_all(connection, query, bindings)
    return rows[0] if rows else None


def fetch_value(connection: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> Any:
    """The only column of the only row of a query; `apsw.CorruptError` if there is not one row."""
    rows = fetch_all(connection, query, bindings)
    if len(rows) != 1:
        raise apsw.CorruptError(f"{len(rows)} rows where one is needed")
    return rows[0][0]


@contextmanager
def one_line_errors(path: str) -> Iterator[None]:
    """Turn what the user can put right about the file at `path` into a `LetheError`."""
    try:
        yield
    except tuple(REASONS) as error:
        reason = next(reason for kind, reason in REASONS.items() if isinstance(error, kind))
        raise LetheError(f"store {path} {reason}") from error


def connect(path: str) -> apsw.Connection:
    """Open a file that exists, or ":memory:", with sqlite-vec; `LetheError` if that or FTS5 cannot be had."""
    if "ENABLE_FTS5" not in apsw.compile_options:
        raise LetheError("this SQLite has no FTS5; install the apsw wheel from PyPI, which carries it")
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.enable_load_extension(True)
        connection.load_extension(sqlite_vec.loadable_path())
        connection.enable_load_extension(False)
    except (apsw.ExtensionLoadingError, AttributeError) as error:
        connection.close()
        raise LetheError("SQLite cannot load sqlite-vec; install the apsw and sqlite-vec wheels from PyPI") from error
    connection.create_scalar_function("intact", versions.intact, 2, deterministic=True)  # type: ignore[arg-type]
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


def make_file(path: str, image: bytes) -> None:
    """Make the file of a store, for its user alone to read; it appears whole or not at all.

    A file that another process has made meanwhile stays. Raises `OSError`, `apsw.FullError` where the disk is full.
    """
    # Bytes 18 and 19 of a database file say that it is in WAL mode (sqlite.org/fileformat).
    image = image[:18] + b"\x02\x02" + image[20:]
    try:
        target = Path(os.path.realpath(path))
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.") as stream:
            stream.write(image)
            stream.flush()
            os.fsync(stream.fileno())
            with contextlib.suppress(FileExistsError):
                target.hardlink_to(stream.name)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise apsw.FullError(str(error)) from error
        raise


def _may_be_path(file: str) -> bool:
    try:
        return bool(file) and b"\0" not in file.encode()
    except UnicodeEncodeError:
        return False


class Database:
    """One connection to one store, in a file or in memory (`path` ":memory:"), which errors call `name`.

    A file is kept in WAL mode. Raises `LetheError` if it cannot be opened or written, is not a store, or was
    made with another `dim` (numbers per vector) or schema version.
    """

    def __init__(self, path: str | Path, *, dim: int, chunk_size: int, name: str = "") -> None:
        file = os.fsdecode(path)
        self.name = name or file
        self.in_memory = file == ":memory:"
        self._dim = dim
        self._chunk_size = chunk_size
        self._using = threading.Lock()
        if not _may_be_path(file):
            raise LetheError(f'store {file!r} is no path; name a file, or ":memory:" for a store without one')
        with one_line_errors(self.name):
            if not self.in_memory and not Path(file).exists():
                make_file(file, empty_image(dim, chunk_size))
            self.connection = connect(file)
        try:
            with one_line_errors(self.name):
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
            raise LetheError(f"store {self.name} {REASONS[apsw.ReadOnlyError]}")
        self._check_format()
        self.connection.execute("PRAGMA journal_mode = WAL").fetchall()

    def _copy_empty(self) -> None:
        source = apsw.Connection(":memory:")
        source.deserialize("main", empty_image(self._dim, self._chunk_size))
        with self.connection.backup("main", source, "main") as backup:
            backup.step()
        source.close()

    def _check_format(self) -> None:
        if self._pragma("application_id") != APPLICATION_ID:
            raise LetheError(f"store {self.name} {REASONS[apsw.NotADBError]}")
        schema_version = self._pragma("user_version")
        if schema_version != SCHEMA_VERSION:
            raise LetheError(
                f"store {self.name} has schema version {schema_version}, but this Lethe writes {SCHEMA_VERSION}; "
                "use the Lethe that made it, or another file"
            )
        dim = fetch_value(self.connection, "SELECT dim FROM store")
        if dim != self._dim:
            raise LetheError(
                f"store {self.name} was made for vectors of {dim} numbers, but the embedder gives {self._dim}; "
                "use the embedder it was made with, or another file"
            )

    def _pragma(self, name: str) -> int:
        with one_line_errors(self.name):
            return int(fetch_value(self.connection, f"PRAGMA {name}"))

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """One consistent view over several queries."""
        with one_line_errors(self.name), self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """One transaction: all of it is stored or, on any exception, none of it; only one at a time."""
        with one_line_errors(self.name), self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other threads from the connection."""
        if self._using.locked():
            raise apsw.ThreadingViolationError("another operation is under way")
        with self._using:
            yield

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[apsw.Connection]:
        with self._alone():
            # An exception from outside (a signal's, say) may strike at any instruction, even where this one ends.
            self._roll_back()
            try:
                self.connection.execute(begin)
                yield self.connection
                self.connection.execute("COMMIT")
            finally:
                self._roll_back()

    def _roll_back(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def changes_by_others(self) -> int:
        """A number that changes whenever another connection has changed the file."""
        return self._pragma("data_version")

    def checkpoint(self) -> bool:
        """Move the write-ahead log into the file and empty it.

        Returns False if another connection is in the way for 0.25 s or another thread at once, or if the disk is full
        or failing. What was committed stands either way, so this is not an error.
        """
        if self.in_memory:
            return True
        try:
            with self._alone():
                self.connection.set_busy_timeout(CHECKPOINT_TIMEOUT_MS)
                ((busy, _, _),) = fetch_all(self.connection, "PRAGMA wal_checkpoint(TRUNCATE)")
        except (apsw.BusyError, apsw.FullError, apsw.IOError, apsw.ThreadingViolationError):
            return False
        finally:
            self.connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        return not busy

    def vacuum(self) -> None:
        """Rewrite the file from its live pages only."""
        with one_line_errors(self.name), self._alone():
            # The copy holds only what was kept, so it may go through a temporary file instead of memory.
            self.connection.execute("PRAGMA temp_store = FILE")
            try:
                self.connection.execute("VACUUM")
            finally:
                self.connection.execute("PRAGMA temp_store = MEMORY")

    def clear(self) -> None:
        """Replace the contents with those of a newly made store."""
        with one_line_errors(self.name):
            with self._alone():
                self._copy_empty()
            self.checkpoint()

    def serialized(self) -> bytes:
        """The whole database as the bytes of a database file."""
        with one_line_errors(self.name), self._alone():
            return bytes(self.connection.serialize("main"))

    def close(self) -> None:
        """Close the connection; closing twice is harmless."""
        self.connection.close()
