"""RecallDB: memories with two times in SQLite, found by words and vectors together."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend

_USER = "default"


class RecalldbBackend(FolderBackend):
    """One file per case, a user for each owner. `supersede` closes a memory's validity, `delete` takes it away."""

    def __init__(self, embedder: Embedder) -> None:
        import recalldb
        from recalldb.embeddings.base import EmbeddingProvider

        class Provider(EmbeddingProvider):  # type: ignore[misc]
            dimension = embedder.dim

            def embed_text(self, text: str) -> list[float]:
                return self.embed_batch([text])[0]

            def embed_batch(self, texts: list[str]) -> list[list[float]]:
                vectors: list[list[float]] = embedder.embed(texts).tolist()
                return vectors

        self._connect, self._provider = recalldb.connect, Provider()
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory: Any = self._connect(str(folder / "memory.db"), embedding_provider=self._provider)
        self._users = [_USER]

    def shut(self) -> None:
        """Do nothing: it opens the file for each call."""

    def enter(self, owners: Sequence[str]) -> None:
        self._users = list(owners)

    def add(self, texts: Sequence[str]) -> None:
        for user in self._users:
            for text in texts:
                self._memory.remember(text, user_id=user)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._memory.recall(query, top_k=k, user_id=self._users[0])
        return [Hit(each.id, each.content, each.score) for each in found]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._memory.supersede(id, text)

    def delete(self, id: str | int) -> None:
        self._memory.delete(id)
