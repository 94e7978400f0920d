"""SQLite files read by a copy: which structure a byte belongs to, and the terms of full-text indexes."""

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import apsw

from forgeteval.files import read_file

HEADER = b"SQLite format 3\x00"
WAL_SUFFIX, JOURNAL_SUFFIX = "-wal", "-journal"
_READING = (apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_FUNCTION)
_WAL_HEADER, _FRAME_HEADER = 32, 24
_SEGMENT_BITS, _LEAF_BITS = 37, 31
"""In the number of an FTS5 block: above the first, its segment; below the second, its page; between, 0 for a leaf."""


@dataclass
class SqliteCopy:
    """A copy of a database with its write-ahead log; `page_size` in bytes."""

    database: apsw.Connection
    page_size: int
    _live: dict[tuple[str, bytes], bool] = field(default_factory=dict)

    def structure(self, page: int, content: bytes) -> str:
        """What a page is of, and whether a row that is still there holds the content, where any is given."""
        owner = self._owners.get(page)
        if owner is None:
            return "free page"
        kind = self._kinds.get(owner, "table")
        if owner in self._terms:
            return f"full-text index {owner}"
        if kind == "index":
            return f"index {owner}"
        if not content:
            return f"table {owner}"
        return f"table {owner}, {'row' if self._is_live(owner, content) else 'free space'}"

    def has_terms(self, marker: str) -> list[str]:
        """The FTS5 indexes that hold the marker as a term, or every run of three characters of it as one."""
        term = marker.encode()
        runs = {term[at : at + 3] for at in range(len(term) - 2)}
        return [name for name, terms in self._terms.items() if term in terms or runs <= terms]

    def spilled(self) -> Iterator[bytes]:
        """The texts and blobs, whole, of each table that has a row on more than one page."""
        pages = self._rows("SELECT DISTINCT name FROM temp.pages WHERE pagetype = 'overflow'")
        # Of a damaged database there are no statistics.
        tables = {str(name) for (name,) in pages} if self._owners else self._kinds.keys()
        for table in sorted(name for name in tables if self._kinds.get(name) == "table"):
            for column in map(_quoted, self._columns(table)):
                of_bytes = f"typeof({column}) IN ('blob', 'text')"
                for (value,) in self._each(f"SELECT CAST({column} AS BLOB) FROM {_quoted(table)} WHERE {of_bytes}"):
                    yield bytes(value)

    @cached_property
    def _owners(self) -> dict[int, str]:
        return {int(page): str(name) for name, page in self._rows("SELECT name, pageno FROM temp.pages")}

    @cached_property
    def _kinds(self) -> dict[str, str]:
        return {str(name): str(kind) for name, kind in self._rows("SELECT name, type FROM sqlite_schema")}

    @cached_property
    def _terms(self) -> dict[str, set[bytes]]:
        """The terms that each FTS5 index has on its pages, those of deleted rows included."""
        # By the tables that each has, however the command that made it is written.
        tables = {name for name, kind in self._kinds.items() if kind == "table"}
        names = [name.removesuffix("_data") for name in self._kinds if name.endswith("_data")]
        indexes = [name for name in names if {f"{name}_data", f"{name}_idx", f"{name}_config"} <= tables]
        return {f"{name}_data": self._terms_of(f"{name}_data") for name in indexes}

    def _terms_of(self, table: str) -> set[bytes]:
        blocks = self._rows(
            f"SELECT block FROM {_quoted(table)} WHERE id >> {_SEGMENT_BITS} > 0 AND {_LEAF} AND typeof(block) = 'blob'"
        )
        return {term for (block,) in blocks for term in leaf_terms(bytes(block))}

    def _is_live(self, table: str, content: bytes) -> bool:
        if (table, content) not in self._live:
            columns = map(_quoted, self._columns(table))
            holds = " OR ".join(f"instr(CAST({column} AS BLOB), ?1)" for column in columns) or "0"
            found = self._rows(f"SELECT 1 FROM {_quoted(table)} WHERE {holds} LIMIT 1", (content,))
            self._live[table, content] = any(True for _ in found)
        return self._live[table, content]

    def _columns(self, table: str) -> list[str]:
        return [str(name) for (name,) in self._rows("SELECT name FROM pragma_table_info(?1)", (table,))]

    def _rows(self, query: str, values: tuple[bytes | str, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return list(self.database.execute(query, values))
        except (apsw.Error, UnicodeDecodeError):
            return []

    def _each(self, query: str) -> Iterator[tuple[Any, ...]]:
        """One row after the other, up to what cannot be read."""
        with contextlib.suppress(apsw.Error, UnicodeDecodeError):
            yield from self.database.execute(query)


_LEAF = f"(id >> {_LEAF_BITS}) & {(1 << (_SEGMENT_BITS - _LEAF_BITS)) - 1} = 0"


@contextlib.contextmanager
def sqlite_copy(path: Path, content: bytes) -> Iterator[SqliteCopy | None]:
    """A copy of the database whose main file, `path`, has this content; None where SQLite does not read it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        copy.write_bytes(content)
        for suffix in (WAL_SUFFIX, JOURNAL_SUFFIX):
            with contextlib.suppress(OSError):
                Path(f"{copy}{suffix}").write_bytes(read_file(Path(f"{path}{suffix}"), follows=False))
        database = None
        try:
            database = apsw.Connection(str(copy))
            # Under a name that no table of the database can stand for.
            database.execute("CREATE VIRTUAL TABLE temp.pages USING dbstat(main)")
            # A name or a schema in it is no command here: nothing but reading its own tables, and no view of them.
            database.authorizer = _reads_alone
            database.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
            (size,) = database.execute("PRAGMA page_size").fetchone() or (0,)
            list(database.execute("SELECT name FROM sqlite_schema"))
            yield SqliteCopy(database, int(size))
        except (apsw.Error, UnicodeDecodeError):
            yield None
        finally:
            if database is not None:
                database.close()


def _reads_alone(action: int, name: str | None, *_: str | None) -> int:
    is_read = action in _READING or (action == apsw.SQLITE_PRAGMA and name in ("page_size", "table_info"))
    return apsw.SQLITE_OK if is_read else apsw.SQLITE_DENY


def current_page(log: bytes, offset: int) -> int | None:
    """The page that a byte of a write-ahead log is of; None where the log has a later state of that page, or no longer
    counts it."""
    step = _FRAME_HEADER + int.from_bytes(log[8:12], "big")
    valid = log[16:24]
    frames = range(_WAL_HEADER, len(log) - step + 1, step)
    latest = {log[start : start + 4]: start for start in frames if log[start + 8 : start + 16] == valid}
    own = _WAL_HEADER + (offset - _WAL_HEADER) // step * step
    page = log[own : own + 4]
    return int.from_bytes(page, "big") if latest.get(page) == own else None


def leaf_terms(block: bytes) -> Iterator[bytes]:
    """The terms of a leaf page of an FTS5 index, without the sign of the index before each.

    A page ends with the offsets of its terms: the first, and then each from the one before. Each term but the first is
    the length of what it shares with the one before, and the rest.
    """
    footer, offset, term = int.from_bytes(block[2:4], "big"), 0, b""
    at = footer
    first = True
    while at < len(block):
        step, at = _number(block, at)
        offset += step
        shared, start = (0, offset) if first else _number(block, offset)
        length, start = _number(block, start)
        term = term[:shared] + block[start : start + length]
        first = False
        yield term[1:]


def _number(block: bytes, at: int) -> tuple[int, int]:
    """A varint of SQLite, and where it ends."""
    value = 0
    for place in range(at, min(at + 9, len(block))):
        byte = block[place]
        if place == at + 8:
            return value << 8 | byte, place + 1
        value = value << 7 | byte & 127
        if byte < 128:
            return value, place + 1
    return value, len(block)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
