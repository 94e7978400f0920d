"""Hippocamp: a log of events that may be synchronised, and a local index of it with vectors."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend


class _Embed:
    """The benchmark's embedder as it takes one."""

    name = "MiniLM"

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self.dim = embedder, embedder.dim

    def __call__(self, text: str) -> list[float]:
        vector: list[float] = self._embedder.embed([text])[0].tolist()
        return vector


class HippocampBackend(FolderBackend):
    """One log per case, with its index. A fact names those that it supersedes; `forget` leaves a tombstone."""

    def __init__(self, embedder: Embedder) -> None:
        import pysqlite3

        sys.modules["sqlite3"] = pysqlite3
        from hippocamp import Memory

        self._type: Any = Memory
        self._embed = _Embed(embedder)
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory = self._type(folder / "store", embedder=self._embed, cache_dir=folder / "cache")

    def shut(self) -> None:
        self._memory.close()

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._memory.assert_fact(text)

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(each.id, each.text, each.score) for each in self._memory.recall(query, limit=k)]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._memory.assert_fact(text, supersedes=[id])

    def delete(self, id: str | int) -> None:
        self._memory.forget(id)

    def compact(self) -> None:
        self._memory.compact()
