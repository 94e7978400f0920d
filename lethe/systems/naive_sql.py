"""Naive SQL: the DELETE-and-reindex baseline (paper, appendix "Naive-SQL baseline") on SQLite and FTS5 alone."""

import re
from collections.abc import Sequence

import apsw

_TERM = re.compile(r"[^\W_]+")


class NaiveSqlAdapter:
    """BM25 recall; supersede deletes the best lexical match, release deletes every one, purge deletes by LIKE."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._database = apsw.Connection(":memory:")
        self._database.execute("CREATE VIRTUAL TABLE memories USING fts5(text, tokenize='unicode61')")

    def inscribe(self, texts: Sequence[str]) -> None:
        self._database.executemany("INSERT INTO memories(text) VALUES (?)", [(text,) for text in texts])

    def recall_texts(self, query: str, k: int) -> list[str]:
        found = self._matches(query, k)
        if not found:
            newest = "SELECT rowid, text FROM memories ORDER BY rowid DESC LIMIT ?"
            found = list(self._database.execute(newest, (k,)))
        return [text for _, text in found]

    def supersede(self, query: str, text: str) -> None:
        self._delete(self._matches(query, 1))
        self.inscribe([text])

    def release(self, query: str) -> None:
        self._delete(self._matches(query, -1))

    def purge(self, query: str) -> None:
        self._database.execute("DELETE FROM memories WHERE text LIKE '%' || ? || '%'", (query,))

    def close(self) -> None:
        self._database.close()

    def stored_bytes(self) -> bytes:
        return self._database.serialize("main")

    def _matches(self, query: str, limit: int) -> list[tuple[int, str]]:
        """(rowid, text) of the rows that hold any term of `query`, best BM25 first; a limit of -1 means all."""
        terms = " OR ".join(f'"{term}"' for term in _TERM.findall(query))
        if not terms:
            return []
        ranked = "SELECT rowid, text FROM memories WHERE memories MATCH ? ORDER BY bm25(memories), rowid LIMIT ?"
        return [(int(rowid), str(text)) for rowid, text in self._database.execute(ranked, (terms, limit))]

    def _delete(self, rows: Sequence[tuple[int, str]]) -> None:
        self._database.executemany("DELETE FROM memories WHERE rowid = ?", [(rowid,) for rowid, _ in rows])
