"""plugmem: an embedded engine with a journal and snapshots; vectors are handed in."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend


class PlugmemBackend(FolderBackend):
    """One file with its journal per case. `revise` ends a fact's validity, `forget` leaves a tombstone."""

    def __init__(self, embedder: Embedder) -> None:
        from plugmem import Plugmem

        self._type: Any = Plugmem
        self._embedder = embedder
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory = self._type.open(str(folder / "memory.plugmem"), dim=self._embedder.dim)

    def shut(self) -> None:
        self._memory.close()

    def add(self, texts: Sequence[str]) -> None:
        for text, vector in zip(texts, self._embedder.embed(list(texts)), strict=True):
            self._memory.remember(text, vector=vector.tolist())

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._memory.recall(query, vector=self._vector(query), k=k)
        return [Hit(fact.id, self._memory.get(fact.id).text, fact.score) for fact in found.facts]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._memory.revise(id, text, vector=self._vector(text))

    def delete(self, id: str | int) -> None:
        self._memory.forget(id)

    def compact(self) -> None:
        """Its physical purge, as thorough as it offers one."""
        self._memory.maintain("full")

    def _vector(self, text: str) -> list[float]:
        vector: list[float] = self._embedder.embed([text])[0].tolist()
        return vector
