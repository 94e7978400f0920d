"""memori: texts in SQLite with full-text search and vectors, which are handed in; recall fuses both."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend


class PyMemoriBackend(FolderBackend):
    """One file per case. `update` changes a text in its place, `delete` removes a row, `vacuum` compacts the file."""

    def __init__(self, embedder: Embedder) -> None:
        from memori import PyMemori

        self._type: Any = PyMemori
        self._embedder = embedder
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory = self._type(str(folder / "memori.db"))

    def shut(self) -> None:
        """It has no close; it goes with its last reference."""
        self._memory = None

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._memory.insert(text, vector=self._vector(text))

    def search(self, query: str, k: int) -> list[Hit]:
        """The place in the ranking stands for its score, which is of places, times how often a memory was read."""
        found = self._memory.search(text=query, vector=self._vector(query), limit=k)
        return [Hit(each["id"], each["content"], 1 / place) for place, each in enumerate(found, 1)]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._memory.update(id, content=text, vector=self._vector(text))

    def delete(self, id: str | int) -> None:
        self._memory.delete(id)

    def compact(self) -> None:
        self._memory.vacuum()

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {"get": str(self._memory.get(id)), "list": str(self._memory.list())}

    def _vector(self, text: str) -> list[float]:
        vector: list[float] = self._embedder.embed([text])[0].tolist()
        return vector
