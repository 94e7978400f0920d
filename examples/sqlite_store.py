"""SQLite's full-text index, which Python brings: the best memories are those with the best BM25."""

import re
import sqlite3

from forgeteval import Backend, Hit

SEARCH = "SELECT rowid, text, -bm25(memories) FROM memories WHERE memories MATCH ? ORDER BY 3 DESC LIMIT ?"


class SqliteStore(Backend):
    """A table of FTS5 in a database in memory."""

    def __init__(self):
        self.database = sqlite3.connect(":memory:")
        self.database.execute("CREATE VIRTUAL TABLE memories USING fts5(text, tokenize = 'porter unicode61')")

    def reset(self):
        self.database.execute("DELETE FROM memories")

    def add(self, texts):
        self.database.executemany("INSERT INTO memories (text) VALUES (?)", [(text,) for text in texts])

    def search(self, query, k):
        asked = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        if not asked:
            return []
        return [Hit(*row) for row in self.database.execute(SEARCH, (asked, k))]

    def delete(self, id):
        self.database.execute("DELETE FROM memories WHERE rowid = ?", (id,))

    def close(self):
        self.database.close()
