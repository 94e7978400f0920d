"""Naive SQL: the DELETE-and-reindex baseline (paper, appendix "Naive-SQL baseline") on SQLite with FTS5."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import apsw

from forgeteval.stores.contract import Backend, Hit

_TERM = re.compile(r"[^\W_]+")
_LONGEST_PATTERN = 50_000 - len("%%")
"""Bytes of a query that SQLite takes as a pattern of LIKE."""


class NaiveSqlAdapter(Backend):
    """BM25 recall; supersede deletes the best lexical match, release every match, purge what LIKE finds."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._connect(":memory:")

    def inscribe(self, texts: Sequence[str]) -> None:
        self._database.executemany("INSERT INTO memories(text) VALUES (?)", [(text,) for text in texts])

    def recall_texts(self, query: str, k: int) -> list[str]:
        return [hit.text for hit in self.search(query, k)]

    def supersede(self, query: str, text: str) -> None:
        self._delete(self._matches(query, 1))
        self.inscribe([text])

    def release(self, query: str) -> None:
        self._delete(self._matches(query, -1))

    def purge(self, query: str) -> None:
        # The paper's pattern, in which `_` and `%` of a query are wildcards; SQLite takes none that is longer, and none
        # with a NUL.
        is_pattern = len(query.encode()) <= _LONGEST_PATTERN and "\0" not in query
        found = "text LIKE '%' || ? || '%'" if is_pattern else "instr(lower(text), lower(?))"
        self._database.execute(f"DELETE FROM memories WHERE {found}", (query,))

    def search(self, query: str, k: int) -> list[Hit]:
        """The matches, scored by BM25, best first; without any match the newest memories, scored 0."""
        found = self._matches(query, k)
        if not found:
            newest = self._database.execute("SELECT rowid, text FROM memories ORDER BY rowid DESC LIMIT ?", (k,))
            found = [Hit(int(rowid), str(text), 0.0) for rowid, text in newest]
        return found

    def add(self, texts: Sequence[str]) -> None:
        self.inscribe(texts)

    def delete(self, id: str | int) -> None:
        self._database.execute("DELETE FROM memories WHERE rowid = ?", (id,))

    def edit(self, id: str | int, text: str) -> None:
        self._database.execute("UPDATE memories SET text = ? WHERE rowid = ?", (text, id))

    def close(self) -> None:
        self._database.close()

    def stored_bytes(self) -> bytes:
        return self._database.serialize("main")

    def open(self, folder: Path) -> None:
        self._connect(str(folder / "memories.sqlite3"))

    def shut(self) -> None:
        self._database.close()

    def compact(self) -> None:
        """What SQLite offers: merge the index, and rewrite the file."""
        self._database.execute("INSERT INTO memories(memories) VALUES ('optimize')")
        self._database.execute("VACUUM")

    def reads(self, id: str | int) -> Mapping[str, str]:
        """Queries by key and of everything."""
        by_key = self._database.execute("SELECT text FROM memories WHERE rowid = ?", (id,)).fetchall()
        return {"get": str(by_key), "list": str(self._database.execute("SELECT text FROM memories").fetchall())}

    def _connect(self, file: str) -> None:
        self._database = apsw.Connection(file)
        self._database.execute("CREATE VIRTUAL TABLE IF NOT EXISTS memories USING fts5(text, tokenize='unicode61')")

    def _matches(self, query: str, limit: int) -> list[Hit]:
        """The memories with any term of `query`, scored -bm25, best first; a limit of -1 means all."""
        terms = " OR ".join(f'"{term}"' for term in _TERM.findall(query))
        if not terms:
            return []
        found = self._database.execute(
            "SELECT rowid, text, -bm25(memories) AS score FROM memories WHERE memories MATCH ?"
            " ORDER BY score DESC, rowid LIMIT ?",
            (terms, limit),
        )
        return [Hit(int(rowid), str(text), cast(float, score)) for rowid, text, score in found]

    def _delete(self, hits: Sequence[Hit]) -> None:
        self._database.executemany("DELETE FROM memories WHERE rowid = ?", [(hit.id,) for hit in hits])
