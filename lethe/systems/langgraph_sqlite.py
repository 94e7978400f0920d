"""LangGraph `SqliteStore` with a vector index: add, search, delete, in one SQLite file; no soft delete."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from lethe.systems.case_folders import CaseFolders
from lethe.systems.langgraph import EVERYTHING, NAMESPACE, LangGraphBackend, lists_of

_BATCH = 500
"""Memories per transaction; the store writes them in one statement, and SQLite allows 32 766 parameters."""

PRELOADED = ("langgraph.store.sqlite", "pysqlite3")


class LangGraphSqliteBackend(LangGraphBackend):
    """One database file per case; only the fact's text is embedded; scores are cosines.

    The connection comes from `pysqlite3`, because the standard library's often cannot load extensions, and the index
    needs `sqlite-vec`.
    """

    def __init__(self, embedder: Embedder) -> None:
        from langgraph.store.base import PutOp
        from langgraph.store.sqlite import SqliteStore
        from pysqlite3 import dbapi2

        self._store_type: Any = SqliteStore
        self._put: Any = PutOp
        self._connect = dbapi2.connect
        # Unlike the other stores of LangGraph, this one ignores `fields`.
        self._index = {"dims": embedder.dim, "embed": lists_of(embedder), "text_fields": ["text"]}
        self._folders = CaseFolders("langgraph-sqlite", self._create)
        self._open(self._folders.next())

    def reset(self) -> None:
        self._connection.close()
        self._open(self._folders.next())

    def add(self, texts: Sequence[str]) -> None:
        for namespace, start in product(self._namespaces, range(0, len(texts), _BATCH)):
            batch = texts[start : start + _BATCH]
            keys = range(self._next_key, self._next_key + len(batch))
            self._store.batch(
                [self._put(namespace, str(key), {"text": text}) for key, text in zip(keys, batch, strict=True)]
            )
            self._next_key += len(batch)

    def open(self, folder: Path) -> None:
        self._connection.close()
        self._open(folder)
        self._next_key = max(
            (int(item.key) + 1 for item in self._store.search((NAMESPACE,), limit=EVERYTHING)), default=0
        )

    def shut(self) -> None:
        self._connection.close()

    def close(self) -> None:
        self._connection.close()
        self._folders.remove()

    def stored_bytes(self) -> bytes:
        """The database file."""
        return self._folders.sqlite_bytes()

    def _create(self, folder: Path) -> None:
        folder.mkdir()
        self._open(folder)
        self._connection.close()

    def _open(self, folder: Path) -> None:
        file = str(folder / "store.sqlite3")
        self._connection = self._connect(file, check_same_thread=False, isolation_level=None)
        self._store = self._store_type(self._connection, index=self._index)
        self._store.setup()
        self._next_key = 0
        self._namespaces = [(NAMESPACE,)]
