"""Program that holds one database of the package `pylethe`, whose module is called `lethe` like this project's own.

    python -P pylethe_process.py        (started by `lethe.systems.pylethe` without this project on the path)

A request is one JSON line on standard input, its reply one on standard output; the program ends with its input. A
request names an operation and its arguments, and carries the vectors of all texts that the operation embeds.
"""

import base64
import importlib
import json
import os
import struct
import sys
from typing import Any


class Database:
    """One database file at a time.

    Attributes:
        vectors: the embeddings of every text that the next operation embeds.
    """

    def __init__(self, dim: int) -> None:
        # The standard library's SQLite often cannot load extensions, and the package needs sqlite-vec.
        sys.modules["sqlite3"] = importlib.import_module("pysqlite3")
        self._create: Any = importlib.import_module("lethe").Lethe
        self._dim = dim
        self._store: Any = None
        self.vectors: dict[str, list[float]] = {}

    def open(self, path: str) -> None:
        self._store = self._create(path, vector_dim=self._dim, embedder=lambda text: self.vectors[text])

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def log(self) -> str:
        return str(self._store.log())

    def inscribe(self, texts: list[str]) -> None:
        self._store.inscribe_many(texts)

    def recall(self, query: str, **options: Any) -> list[tuple[int, str, float]]:
        """(id, text, similarity) of each memory recalled, best first."""
        found = self._store.recall(query, **options)
        return [(hit.memory.id, hit.memory.text, hit.similarity) for hit in found]

    def surrender(self, target: Any, mode: str) -> None:
        self._store.surrender(target, mode=mode)


def main() -> None:
    """Entry point; the first line of input is the number of dimensions."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    # What the package prints must not be taken for a reply.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    database = Database(json.loads(sys.stdin.readline()))
    for line in sys.stdin:
        request = json.loads(line)
        database.vectors = {text: _unpacked(vector) for text, vector in request["vectors"].items()}
        try:
            reply = {"result": getattr(database, request["operation"])(**request["arguments"])}
        except Exception as error:  # noqa: BLE001
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=replies, flush=True)


def _unpacked(vector: str) -> list[float]:
    packed = base64.b64decode(vector)
    return list(struct.unpack(f"{len(packed) // 4}f", packed))


if __name__ == "__main__":
    main()
