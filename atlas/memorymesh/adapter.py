"""MemoryMesh: memories in two SQLite files, of a project and of all of them, found by vectors."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend


class MemorymeshBackend(FolderBackend):
    """Two files per case; the system decides where a memory belongs. `update` replaces a text, `forget` deletes it."""

    def __init__(self, embedder: Embedder) -> None:
        from memorymesh import MemoryMesh
        from memorymesh.embeddings import EmbeddingProvider

        class Provider(EmbeddingProvider):  # type: ignore[misc]
            dimension = embedder.dim

            def embed(self, text: str) -> list[float]:
                return self.embed_batch([text])[0]

            def embed_batch(self, texts: list[str]) -> list[list[float]]:
                vectors: list[list[float]] = embedder.embed(texts).tolist()
                return vectors

        self._type, self._provider = MemoryMesh, Provider()
        super().__init__()

    def begin(self, folder: Path) -> None:
        files = {"path": folder / "project.db", "global_path": folder / "global.db"}
        self._memory: Any = self._type(**files, embedding=self._provider)

    def shut(self) -> None:
        self._memory.close()

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._memory.remember(text)

    def search(self, query: str, k: int) -> list[Hit]:
        """It gives no scores; the place in the ranking stands for one."""
        return [Hit(each.id, each.text, -place) for place, each in enumerate(self._memory.recall(query, k=k))]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._memory.update(id, text=text)

    def delete(self, id: str | int) -> None:
        self._memory.forget(id)

    def delete_ids(self, ids: Sequence[str | int]) -> None:
        self._memory.forget_batch(list(ids))

    def compact(self) -> None:
        for scope in ("project", "global"):
            self._memory.compact(scope)

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {"get": str(self._memory.get(id)), "list": str(self._memory.list())}
