"""Connections to SQLite: opening and making files, queries, and driver errors told in one line."""

import contextlib
import errno
import functools
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from lethe.store.errors import LetheError
from lethe.store.files import make
from lethe.store.pages import clean_file
from lethe.store.words import KNOWN, TOKENIZERS, indexed

APPLICATION_ID = 0x4C455448  # "LETH"
SCHEMA_VERSION = 9
_FORMAT_BEFORE_DELETIONS = 4
BUSY_TIMEOUT_MS = 30_000
CHECKPOINT_TIMEOUT_MS = 250
LONGEST_LOG = 2**22
"""Bytes of the write-ahead log from which on it is emptied after a write."""
DATA_FILES = ("schema.sql",)
SCHEMA = Path(__file__).with_name(DATA_FILES[0]).read_text(encoding="utf-8")
PRAGMAS = """
PRAGMA secure_delete = ON;
PRAGMA foreign_keys = ON;
PRAGMA temp_store = MEMORY;
"""
_STANDING = (
    "SELECT type, name, iif(type IN ('trigger', 'view'), sql, '') FROM sqlite_schema"
    " WHERE name NOT LIKE 'sqlite\\_stat_' ESCAPE '\\'"
)
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
    apsw.IOError: "could not be read or written; check that the disk it is on is there, and has room",
    apsw.NotADBError: "is not a Lethe store; name another file",
    apsw.ReadOnlyError: "is read-only; fix the permissions of the file and of its directory",
    apsw.ThreadingViolationError: (
        "is in the middle of another operation of the same thread; let that finish, or open its file once more"
    ),
    # What SQL, types and text come to where tables, columns or bytes are not what this module wrote.
    **dict.fromkeys((apsw.SQLError, apsw.ConstraintError, apsw.MismatchError), DAMAGED),
    **dict.fromkeys((KeyError, OverflowError, TypeError, UnicodeDecodeError), DAMAGED),
}

_TOLD: tuple[type[Exception], ...] = (*REASONS, apsw.TooBigError)
_TOO_MUCH = ("Expression tree is too large", "too many SQL variables", "parser stack overflow")
"""How SQLite begins to tell that a statement is too long or too deep, whatever the file holds."""


def fetch_all(connection: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """All rows of a query."""
    return connection.execute(query, bindings).fetchall()


def fetch_row(connection: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> tuple[Any, ...] | None:
    """The first row of a query, None if it has none; the statement is run to its end."""
    rows = fetch_all(connection, query, bindings)
    return rows[0] if rows else None


def fetch_only(connection: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> tuple[Any, ...]:
    """The only row of a query; `apsw.CorruptError` if there is not one."""
    rows = fetch_all(connection, query, bindings)
    if len(rows) != 1:
        raise apsw.CorruptError(f"{len(rows)} rows where one is needed")
    return rows[0]


def fetch_value(connection: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> Any:
    """The only column of the only row of a query; `apsw.CorruptError` if there is not one row."""
    return fetch_only(connection, query, bindings)[0]


def stored_state(connection: apsw.Connection) -> int | None:
    """A number that changes whenever something was stored, by whomever; None in a transaction that may store something.

    To be asked once the transaction has read, which brings the number up to date.
    """
    return None if connection.txn_state("main") == apsw.SQLITE_TXN_WRITE else connection.data_version()


@contextmanager
def one_line_errors(path: str) -> Iterator[None]:
    """Turn what the user can put right about the file at `path` into a `LetheError`.

    `ValueError` for what is too much to ask for at once.
    """
    try:
        yield
    except _TOLD as error:
        if isinstance(error, apsw.TooBigError) or str(error).startswith(_TOO_MUCH):
            raise ValueError(f"this is too much at once ({error}); ask for less, in parts") from error
        reason = next(reason for kind, reason in REASONS.items() if isinstance(error, kind))
        raise LetheError(f"store {path} {reason}") from error


def connect(path: str) -> apsw.Connection:
    """Open a file that exists, or ":memory:"; `LetheError` if this SQLite has no FTS5."""
    if "ENABLE_FTS5" not in apsw.compile_options:
        raise LetheError("this SQLite has no FTS5; install the apsw wheel from PyPI, which carries it")
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    connection.create_scalar_function("indexed", indexed, 2, deterministic=True)  # type: ignore[arg-type]
    return connection


def create(connection: apsw.Connection, dim: int, words: str) -> None:
    """Create the tables of an empty store."""
    connection.execute(SCHEMA.format(dim=dim, words=words, tokenizer=TOKENIZERS[words])).fetchall()
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION}")
    set_format(connection)


def set_format(connection: apsw.Connection) -> None:
    """Give the index by words the format that its first deletion would give it.

    Other connections do not notice when FTS5 changes the format's number, and then take a right index for a damaged
    one. So the number must not change while a file is open. A rebuild takes it back, and has to call this.
    """
    if fetch_value(connection, "SELECT v FROM lexical_config WHERE k = 'version'") == _FORMAT_BEFORE_DELETIONS:
        with connection:
            connection.execute("INSERT INTO lexical (rowid, text) VALUES (-1, 'x')")
            connection.execute("INSERT INTO lexical (lexical, rowid, text) VALUES ('delete', -1, 'x')")


@functools.cache
def empty_image(dim: int, words: str) -> bytes:
    """The bytes of an empty store; copying them takes a tenth of the time of creating the tables.

    All copies have one identity, which `renew` changes.
    """
    connection = connect(":memory:")
    create(connection, dim, words)
    image = bytes(connection.serialize("main"))
    connection.close()
    return image


@functools.cache
def _own() -> frozenset[tuple[str, str, str]]:
    """What stands in a store: kind, name, and the SQL of what may change what others do."""
    with contextlib.closing(apsw.Connection(":memory:")) as connection:
        connection.deserialize("main", empty_image(1, KNOWN[0]))
        return frozenset(connection.execute(_STANDING).fetchall())  # type: ignore[arg-type]


def planted(connection: apsw.Connection, *, exact: bool) -> list[str]:
    """What stands in the file and is not of this module, as "kind name"; with `exact`, what was changed too."""
    found, own = set(fetch_all(connection, _STANDING)), _own()
    if not exact:
        names = {standing[:2] for standing in own}
        return sorted(f"{kind} {name}" for kind, name, _ in found if (kind, name) not in names)
    return sorted(f"{kind} {name}" for kind, name, _ in found - own)


def check_whole(connection: apsw.Connection) -> None:
    """`apsw.CorruptError` if a part of the schema is missing."""
    if _own() - set(fetch_all(connection, _STANDING)):
        raise apsw.CorruptError("a part of the schema is missing")


def drop_statistics(connection: apsw.Connection) -> None:
    """Drop what ANALYZE has written, which may hold names of scopes that are erased since."""
    for (name,) in fetch_all(connection, "SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite\\_stat_' ESCAPE '\\'"):
        connection.execute(f"DROP TABLE {name}")


def renew(connection: apsw.Connection, embedder: str | None) -> None:
    """Give an empty store an identity of its own, and the name of its embedder."""
    connection.execute("UPDATE store SET identity = randomblob(16), embedder = ?", (embedder,))


def new_image(dim: int, embedder: str | None, words: str) -> bytes:
    """The bytes of an empty store of its own identity."""
    connection = connect(":memory:")
    connection.deserialize("main", empty_image(dim, words))
    renew(connection, embedder)
    image = bytes(connection.serialize("main"))
    connection.close()
    return image


def is_made(path: str | Path) -> bool:
    """Whether there is a file of that name."""
    file = os.fsdecode(path)
    # Unlike Path.exists, it says of a name that is too long that there is none.
    return file != ":memory:" and may_be_path(file) and os.path.exists(file)  # noqa: PTH110


def made_with(path: str | Path) -> tuple[int, str | None]:
    """How long the vectors of the store in this file are, and its embedder's name; `LetheError` without a store."""
    file = os.fsdecode(path)
    if not is_made(path):
        raise LetheError(f"store {file} does not exist yet; give dim, or name a file that does")
    with one_line_errors(file), _looked_into(file) as connection:
        if fetch_value(connection, "PRAGMA application_id") != APPLICATION_ID:
            raise LetheError(f"store {file} {REASONS[apsw.NotADBError]}")
        dim, embedder = fetch_only(connection, "SELECT dim, embedder FROM store")
        return int(dim), embedder


def is_sealed(path: str | Path) -> bool:
    """Whether there is a store of that name, and it needs the key under which it was sealed."""
    file = os.fsdecode(path)
    if not is_made(path):
        return False
    with one_line_errors(file), _looked_into(file) as connection:
        columns = fetch_all(connection, "SELECT 1 FROM pragma_table_info('store') WHERE name = 'head'")
        return bool(columns) and fetch_value(connection, "SELECT head FROM store") is not None


@contextmanager
def _looked_into(file: str) -> Iterator[apsw.Connection]:
    connection = clean_file(file)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    try:
        yield connection
    finally:
        # The last one empties the log. Where the disk is full, what was committed stands in the log.
        with contextlib.suppress(apsw.FullError, apsw.IOError):
            connection.close()


def make_file(path: str, image: bytes) -> None:
    """Make the file of a store, for its user alone to read; it appears whole or not at all.

    A file that another process has made meanwhile stays. Raises `OSError`, `apsw.FullError` where the disk is full.
    """
    # Bytes 18 and 19 of a database file say that it is in WAL mode (sqlite.org/fileformat).
    image = image[:18] + b"\x02\x02" + image[20:]
    try:
        with contextlib.suppress(FileExistsError):
            make(Path(os.path.realpath(path)), image)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise apsw.FullError(str(error)) from error
        raise


def log_of(path: str) -> Path | None:
    """The write-ahead log that stands beside a file, or beside where it is to be, if anything is in it."""
    log = Path(f"{os.path.realpath(path)}-wal")
    return log if log.is_file() and log.stat().st_size else None


def refuse_log(log: Path | None) -> None:
    """`LetheError` for the log of a file that is gone: SQLite would put what is in it into a new one."""
    if log is not None:
        raise LetheError(f"{log} is the write-ahead log of a file that is gone; bring that back, or remove the log too")


def may_be_path(file: str) -> bool:
    """Whether a string can name a file."""
    try:
        return bool(file) and b"\0" not in file.encode()
    except UnicodeEncodeError:
        return False
