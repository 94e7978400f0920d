"""One store as its connection and its vectors: format, transactions, checkpoints."""

import contextlib
import os
import tempfile
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Optional

import apsw

from lethe.store import causes, migration
from lethe.store.causes import Cause
from lethe.store.connection import (
    APPLICATION_ID,
    BUSY_TIMEOUT_MS,
    CHECKPOINT_TIMEOUT_MS,
    LONGEST_LOG,
    PRAGMAS,
    REASONS,
    SCHEMA_VERSION,
    check_whole,
    connect,
    drop_statistics,
    empty_image,
    fetch_all,
    fetch_only,
    fetch_value,
    log_of,
    make_file,
    may_be_path,
    new_image,
    one_line_errors,
    planted,
    refuse_log,
    renew,
    set_format,
    stored_state,
)
from lethe.store.errors import LetheError
from lethe.store.files import FILE_MODE, keep_usable, place
from lethe.store.pages import clean_file, clean_image
from lethe.store.receipts import PurgeReceipt
from lethe.store.scan import Index, extension, opened
from lethe.store.scope import Ageing, ageing
from lethe.store.seals import Seals
from lethe.store.words import KNOWN

if TYPE_CHECKING:
    from lethe.store.keys import Key

_EMBEDDED = "SELECT dim, embedder, embedded FROM store"
_PATIENCE = 50
"""How often a file's number of names is looked at, a hundredth of a second apart."""


class Database:
    """One connection to one store, in a file or in memory (`path` ":memory:"), which errors call `name`.

    A file is kept in WAL mode. Raises `LetheError` if it cannot be opened or written, is not a store, or was
    made with another `dim` (numbers per vector), embedder, way of words or schema version.

    Attributes:
        index: the vectors of the live memories: as they were when somebody last asked, or those in the file.
        words: how texts are taken apart into words.
        seals: what is known of the file's state, and the key that vouches for it.
        same_embedder: whether the vectors in the file are known to be of the embedder that is used now.
        cause: who changes the store at the moment, and why.
        erased: what the purges of a transaction over several calls have erased so far; None while there is none.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        dim: int,
        embedder: str | None = None,
        name: str = "",
        key: Optional["Key"] = None,
        words: str | None = None,
        index: Index | None = None,
    ) -> None:
        file = os.fsdecode(path)
        self.name = name or file
        self.in_memory = file == ":memory:"
        self._dim = dim
        self._embedder = embedder
        self._asked_words = words
        self.words = words or KNOWN[0]
        self.seals = Seals(self.name, key)
        self.same_embedder = False
        self.cause = Cause()
        self._using = threading.RLock()
        self._is_used = False
        self.erased: list[PurgeReceipt] | None = None
        self._process = os.getpid()
        self._path = Path(file)
        self._file: tuple[int, int] | None = None
        self._schema: int | None = None
        self._state: int | None = None
        self._ageing: tuple[int, Ageing] | None = None
        self._made_with: tuple[int, str | None, int] | None = None
        self._log_file = Path()
        self._writer: apsw.Connection | None = None
        if not may_be_path(file):
            raise LetheError(f'store {file!r} is not a path; name a file, or ":memory:" for a store without one')
        if index == "sqlite-vec":
            extension()  # before a file is made
        with one_line_errors(self.name):
            log = None if self.in_memory else log_of(file)  # before another process may make both
            if not self.in_memory and not Path(file).exists():
                refuse_log(log)
                make_file(file, new_image(dim, embedder, self.words))
            self.connection = connect(file)
            self.seals.attach(self.connection)
            causes.attach(self.connection, lambda: self.cause)
        try:
            with one_line_errors(self.name):
                self._prepare()
                self.index = opened(self.connection, dim, index)
        except BaseException:
            self._close()
            raise

    def _prepare(self) -> None:
        self.connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        self.connection.execute(PRAGMAS).fetchall()
        if self.in_memory:
            self._copy_empty()
            self.same_embedder = True
            return
        if self.connection.readonly("main"):
            raise LetheError(f"store {self.name} {REASONS[apsw.ReadOnlyError]}")
        self._path = Path(self.connection.filename)
        self._refuse_second_name()
        self._writer = clean_file(self.connection.filename)
        self._writer.set_busy_timeout(BUSY_TIMEOUT_MS)
        # It alone moves the log into the file, also when it is closed as the last one, for which it must have seen it.
        self.connection.wal_autocheckpoint(0)
        self.connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        self._writer.execute("PRAGMA schema_version").fetchall()
        self._check_format()
        self.connection.execute("PRAGMA journal_mode = WAL").fetchall()
        self._writer.execute("PRAGMA schema_version").fetchall()
        self._file = self._file_of_that_name()
        # Asked for once: the connection tells it only while no other thread uses it.
        self._log_file = Path(self.connection.filename_wal)

    def _copy_empty(self) -> None:
        source = apsw.Connection(":memory:")
        source.deserialize("main", empty_image(self._dim, self.words))
        with self.connection.backup("main", source, "main") as backup:
            backup.step()
        source.close()
        renew(self.connection, self._embedder)
        if self._made_with is not None:
            # Other stores that have the file open know it by this number.
            self.connection.execute("UPDATE store SET embedded = ?", self._made_with[2:])

    def _check_format(self) -> None:
        if self._pragma("application_id") != APPLICATION_ID:
            raise LetheError(f"store {self.name} {REASONS[apsw.NotADBError]}")
        schema_version = self._pragma("user_version")
        if not migration.OLDEST <= schema_version <= SCHEMA_VERSION:
            raise LetheError(
                f"store {self.name} has schema version {schema_version}, but this Lethe writes {SCHEMA_VERSION}; "
                "use the Lethe that made it, or another file"
            )
        if schema_version < SCHEMA_VERSION or self._pragma("auto_vacuum"):
            self._refuse_planted(exact=False)
            migration.upgrade(self.connection)
        self._check_schema(self._pragma("schema_version"))
        check_whole(self.connection)
        drop_statistics(self.connection)
        set_format(self.connection)
        dim, embedder, self.words = fetch_only(self.connection, "SELECT dim, embedder, words FROM store")
        if dim != self._dim:
            raise LetheError(
                f"store {self.name} was made for vectors of {dim} numbers, but the embedder gives {self._dim}; "
                f"use the embedder it was made with{'' if embedder is None else f' ({embedder})'}, or another file"
            )
        if None not in (embedder, self._embedder) and embedder != self._embedder:
            raise LetheError(
                f"store {self.name} was made with the embedder {embedder!r}, not {self._embedder!r}; "
                "use that, or another file"
            )
        if self.words not in KNOWN or self._asked_words not in (None, self.words):
            raise LetheError(
                f"store {self.name} was made with words of {self.words!r}, not {self._asked_words or KNOWN[0]!r};"
                " ask for those, or name another file"
            )
        self.same_embedder = embedder is not None and embedder == self._embedder
        self._made_with = dim, embedder, fetch_value(self.connection, "SELECT embedded FROM store")

    def _check_unchanged(self) -> None:
        """Refuse a file with what another program has planted, or that was re-embedded since it was opened.

        Nothing is looked at if nothing was stored since this was last asked.
        """
        version = self._pragma("schema_version")
        state = self.connection.data_version()  # which that query has brought up to date
        if state != self._state:
            self._check_schema(version)
            self._check_vectors()
            self._state = state

    def ageing(self) -> Ageing:
        """What is to be known of ends and depths, asked again only if something was stored since.

        In a transaction that may change something, it is asked each time.
        """
        state = stored_state(self.connection)
        if state is None:
            return ageing(self.connection)
        if self._ageing is None or self._ageing[0] != state:
            self._ageing = state, ageing(self.connection)
        return self._ageing[1]

    def _check_schema(self, version: int) -> None:
        """Refuse what another program has planted, if anything in the schema was changed since this was last asked."""
        if version != self._schema:
            self._refuse_planted(exact=True)
            self._schema = version

    def _check_vectors(self) -> None:
        """`LetheError` if the file's vectors are of another embedder than when it was opened."""
        now = fetch_only(self.connection, _EMBEDDED)
        if now != self._made_with:
            raise LetheError(
                f"store {self.name} was re-embedded with {now[1]!r} since it was opened; open it again, with that"
            )

    def _refuse_planted(self, *, exact: bool) -> None:
        foreign = planted(self.connection, exact=exact)
        if foreign:
            raise LetheError(
                f"store {self.name} holds what Lethe does not write ({foreign[0]}), which may change what it does; "
                "restore it from a backup"
            )

    def _refuse_second_name(self) -> None:
        """`LetheError` if the file has another name: by that one, others would not see SQLite's locks and its log."""
        # A file that another process makes has two names for a moment (`make_file`).
        for _ in range(_PATIENCE):
            names = self._path.stat().st_nlink
            if names == 1:
                return
            time.sleep(0.01)
        raise LetheError(
            f"store {self.name} has {names} names (hard links), and SQLite's locks go by the name; remove the others, "
            "or copy the file"
        )

    def _pragma(self, name: str) -> int:
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
            self.seals.check(connection, whole=False)
            yield connection
        self._keep_log_short()

    @contextmanager
    def together(self) -> Iterator[list[PurgeReceipt]]:
        """One transaction over several operations of this thread, and what its purges erase.

        Within another one, it is that one's part, and can be undone by itself. What this connection keeps in memory is
        undone too, and so is what a large transaction has written to the log.
        """
        self._refuse_fork()
        with self._using:
            outer, own = self.erased, list[PurgeReceipt]()
            known = self.same_embedder, self.seals.is_read
            try:
                with contextlib.ExitStack() as stack:
                    with one_line_errors(self.name):
                        connection = stack.enter_context(self._transaction("BEGIN IMMEDIATE"))
                        self.seals.check(connection, whole=False)
                    self._is_used, self.erased = False, own
                    try:
                        yield own
                    finally:
                        self._is_used, self.erased = True, outer
                    self._refuse_fork()
                    with one_line_errors(self.name):
                        stack.close()
            except BaseException:
                if os.getpid() != self._process:
                    raise
                self.same_embedder, self.seals.is_read = known
                self.index.forget()
                if outer is None:
                    self.checkpoint(patience_ms=0)
                raise
            if outer is not None:
                outer += own
            self._keep_log_short()

    def _keep_log_short(self) -> None:
        if self.erased is None and not self.in_memory and self._log_size() > LONGEST_LOG:
            self.checkpoint(patience_ms=0)

    def _log_size(self) -> int:
        """The size of the write-ahead log in bytes."""
        try:
            return self._log_file.stat().st_size
        except OSError:
            return 0

    @contextmanager
    def _alone(self, *, joins: bool = False) -> Iterator[None]:
        """Keep other threads from the connection, after waiting for the one that uses it.

        Raises `apsw.ThreadingViolationError` where this thread is in the middle of another operation (a signal's
        handler, say), `LetheError` in a child of the process that opened the store, and, unless it `joins` one,
        `ValueError` in the middle of a transaction over several calls.
        """
        self._refuse_fork()
        with self._using:
            if self._is_used:
                raise apsw.ThreadingViolationError("another operation of this thread is under way")
            if not joins:
                self.check_apart()
            self._is_used = True
            try:
                yield
            finally:
                self._is_used = False

    def _refuse_fork(self) -> None:
        if os.getpid() != self._process:
            raise LetheError(
                f"store {self.name} was opened before this process was forked; open it again in each process"
            )

    def check_apart(self) -> None:
        """`ValueError` in a transaction over several calls, for what is true only once that is over."""
        if self.erased is not None:
            raise ValueError("not in a transaction, since it may be undone: call this after it")

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[apsw.Connection]:
        with self._alone(joins=True):
            if self.erased is not None:
                if not self.connection.in_transaction:
                    raise LetheError(f"store {self.name}: the transaction was undone by an earlier error; begin again")
                with self.connection:  # a savepoint
                    yield self.connection
                return
            if self._file is not None and self._file_of_that_name() != self._file:
                raise LetheError(f"store {self.name} was removed or replaced since it was opened; open it again")
            # An exception from outside (a signal's, say) may strike at any instruction, even where this one ends.
            self._roll_back()
            try:
                self.connection.execute(begin)
                if not self.in_memory:
                    self._check_unchanged()
                yield self.connection
                self.connection.execute("COMMIT")
            finally:
                self._roll_back()

    def _file_of_that_name(self) -> tuple[int, int] | None:
        """Device and number of the file that has the store's name now; None if there is none."""
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def _roll_back(self) -> None:
        # A forked child leaves the transaction of its parent alone.
        if os.getpid() == self._process and self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def changes_by_others(self) -> int:
        """A number that changes whenever another connection has changed the file."""
        with one_line_errors(self.name), self._alone(joins=True):
            return self._pragma("data_version")

    def checkpoint(self, patience_ms: int = CHECKPOINT_TIMEOUT_MS) -> bool:
        """Move the write-ahead log into the file and empty it.

        Returns False if another connection is in the way for that long (0.25 s), or if the disk is full or failing, or
        the file damaged. What was committed stands either way, so this is not an error; what reads next tells it.
        """
        if self._writer is None:
            return True
        try:
            with self._alone():
                self._writer.set_busy_timeout(patience_ms)
                ((busy, _, _),) = fetch_all(self._writer, "PRAGMA wal_checkpoint(TRUNCATE)")
        except apsw.Error:
            return False
        return not busy and self._sync_log()

    def _sync_log(self) -> bool:
        """Sync the emptied write-ahead log, which SQLite does not do: a loss of power would bring its content back."""
        try:
            log = os.open(self._log_file, os.O_RDONLY)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        try:
            os.fsync(log)
        except OSError:
            return False
        finally:
            os.close(log)
        return True

    def let_go(self, memory_ids: Collection[int] | None) -> None:
        """Overwrite the resident vectors of memories that were erased, None for all, once no other thread uses them."""
        with self._using:
            if memory_ids is None:
                self.index.forget()
            else:
                self.index.erase(memory_ids)

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
                self.index.forget()
            self.checkpoint()

    def copy_to(self, path: str | Path) -> None:
        """Copy what the store holds now to a new file; `LetheError` if there is one of that name."""
        file = os.fsdecode(path)
        target = Path(file)
        if file == ":memory:" or not may_be_path(file):
            raise LetheError(f"{file!r} names no file; name one for the copy of {self.name}")
        with one_line_errors(file), tempfile.TemporaryDirectory(dir=target.parent, prefix=".") as folder:
            refuse_log(None if target.exists() else log_of(str(target)))
            whole = Path(folder) / target.name
            keep_usable(folder)
            whole.touch(mode=FILE_MODE)
            keep_usable(whole)
            with contextlib.closing(clean_file(str(whole))) as copy, self._alone():
                with copy.backup("main", self.connection, "main") as backup:
                    backup.step()
                copy.execute("PRAGMA journal_mode = DELETE").fetchall()
            with whole.open("rb+") as stream:
                os.fsync(stream.fileno())
            try:
                place(whole, target)
            except FileExistsError as error:
                raise LetheError(f"{path} exists; name another file for the copy of {self.name}") from error

    def serialized(self) -> bytes:
        """The whole database as the bytes of a database file."""
        with one_line_errors(self.name), self._alone():
            return clean_image(self.connection.serialize("main"))

    def close(self) -> None:
        """Close the connection; closing twice is harmless. In a forked child, nothing is done."""
        if os.getpid() == self._process:
            with self._using:
                self.check_apart()
                self.index.forget()
                self._close()

    def _close(self) -> None:
        self.connection.close()
        if self._writer is not None:
            # The last one, so that it empties the log. Where the disk is full, what was committed stands in the log.
            with contextlib.suppress(apsw.FullError, apsw.IOError):
                self._writer.close()
