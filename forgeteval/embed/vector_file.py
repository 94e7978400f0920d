"""An SQLite file of vectors that several processes share; what is wrong with it never stops a run."""

import hashlib
import sqlite3
import sys
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from forgeteval.embed.cache_folder import CACHE_VARIABLE
from forgeteval.embed.embedder import Vectors
from forgeteval.errors import printable

ASIDE = ".aside"
"""How the name of a file ends once it is put aside."""
_FORM = 1
"""Of the tables; the file has it as its `user_version`."""
_TABLES = (
    "CREATE TABLE about (dim INTEGER NOT NULL)",
    "CREATE TABLE vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL, checksum INTEGER NOT NULL)",
)
_STORED = np.dtype("<f4")
_WAIT_S = 30.0
"""For another process that writes."""
_KEYS_AT_ONCE = 500
"""Older SQLite takes 999 at most."""
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
"""How SQLite speaks of a file that holds something else than was written; its other errors are about reach and room."""


class _Unusable(Exception):
    """The file does not hold whole vectors of this embedder."""


_ERRORS = (OSError, sqlite3.Error, _Unusable, UnicodeError)
"""Python raises the last where SQLite quotes damaged bytes."""


class VectorFile:
    """The vectors of one embedder by the SHA-256 of their texts; the texts themselves are not in the file.

    A file that is damaged, or holds vectors of another dimension, is renamed and begun anew. One that cannot be read
    or written is done without. Each is said in one line on stderr.
    """

    def __init__(self, path: Path, dim: int) -> None:
        self.path, self._dim = path, dim
        self._readable = self._writable = True

    def read(self, texts: Collection[str]) -> dict[str, Vectors]:
        """The vectors of those texts that are in the file."""
        try:
            if not texts or not self._readable or not self.path.exists():
                return {}
            with self._opened() as connection:
                return dict(self._rows(connection, texts)) if self._is_begun(connection) else {}
        except _ERRORS as error:
            self._readable = self._mend(error)
            self._writable &= self._readable
            return {}

    def write(self, vectors: Mapping[str, Vectors]) -> None:
        """Add the vectors of texts; those that another process added meanwhile stay as they are."""
        while self._writable:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with self._opened() as connection:
                    self._insert(connection, vectors)
                return
            except _ERRORS as error:
                self._writable = self._mend(error)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        # One connection for each use, so that none is carried into a forked process or another thread.
        connection = sqlite3.connect(self.path, timeout=_WAIT_S, isolation_level=None)
        try:
            yield connection
        finally:
            connection.close()

    def _is_begun(self, connection: sqlite3.Connection) -> bool:
        """Whether the tables are there; raises _Unusable if they are not this embedder's."""
        form = connection.execute("PRAGMA user_version").fetchone()[0]
        if form == 0 and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return False
        if form != _FORM:
            raise _Unusable("it was written by another version of forgeteval")
        dims = [dim for (dim,) in connection.execute("SELECT dim FROM about")]
        if dims != [self._dim]:
            raise _Unusable(f"its vectors have {' or '.join(map(str, dims)) or 'no'} numbers, new ones {self._dim}")
        return True

    def _rows(self, connection: sqlite3.Connection, texts: Collection[str]) -> Iterator[tuple[str, Vectors]]:
        connection.text_factory = bytes  # A damaged row may say that it is text.
        by_key = {_key(text): text for text in texts}
        keys = list(by_key)
        for start in range(0, len(keys), _KEYS_AT_ONCE):
            wanted = keys[start : start + _KEYS_AT_ONCE]
            marks = ",".join("?" * len(wanted))
            found = connection.execute(f"SELECT key, vector, checksum FROM vectors WHERE key IN ({marks})", wanted)
            for key, content, checksum in found:
                if key not in by_key or not self._is_whole(key, content, checksum):
                    raise _Unusable("it is damaged (a checksum is wrong)")
                yield by_key[key], np.frombuffer(content, dtype=_STORED).astype(np.float32, copy=False)

    def _is_whole(self, key: bytes, content: Any, checksum: Any) -> bool:
        right_size = isinstance(content, bytes) and len(content) == self._dim * _STORED.itemsize
        return right_size and zlib.crc32(key + content) == checksum

    def _insert(self, connection: sqlite3.Connection, vectors: Mapping[str, Vectors]) -> None:
        # A commit does not wait for the disk: what is lost with the power is computed anew, or found by a checksum.
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN IMMEDIATE")
        if not self._is_begun(connection):
            for table in _TABLES:
                connection.execute(table)
            connection.execute("INSERT INTO about VALUES (?)", [self._dim])
            connection.execute(f"PRAGMA user_version = {_FORM}")
        contents = ((_key(text), vector.astype(_STORED).tobytes()) for text, vector in vectors.items())
        rows = ((key, content, zlib.crc32(key + content)) for key, content in contents)
        connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", rows)
        connection.execute("COMMIT")

    def _mend(self, error: Exception) -> bool:
        """Put an unusable file aside; says what is wrong, and returns whether a new file can be begun."""
        if isinstance(error, _Unusable):
            return self._put_aside(str(error))
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if isinstance(error, UnicodeError) or code in _DAMAGE:
            return self._put_aside(f"it is damaged ({error})")
        self._warn(f"vectors cannot be kept ({_reason(error)})", f"set {CACHE_VARIABLE} to a folder with room")
        return False

    def _put_aside(self, reason: str) -> bool:
        aside = self.path.with_name(self.path.name + ASIDE)
        try:
            self.path.replace(aside)
            # SQLite would take the old file's journal for the new one's.
            self.path.with_name(self.path.name + "-journal").unlink(missing_ok=True)
        except FileNotFoundError:
            return True  # Another process was faster.
        except OSError as error:
            self._warn(f"{reason} and cannot be renamed ({_reason(error)})", "remove it")
            return False
        self._warn(reason, f"renamed to {aside.name}")
        return True

    def _warn(self, reason: str, remedy: str) -> None:
        line = f"warning: {self.path}: {reason}; vectors are computed anew; {remedy}"
        print(printable(line), file=sys.stderr, flush=True)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
