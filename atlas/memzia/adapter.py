"""Memzia: records with a status in one SQLite file, found by vectors, which are handed in."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Claim, Hit
from lethe.systems.in_folder import FolderBackend


class MemziaBackend(FolderBackend):
    """One file per case, and a user for each owner. `forget` leaves a tombstone, which no recall sees."""

    def __init__(self, embedder: Embedder) -> None:
        from memzia import Memzia
        from memzia.classify import Classifier
        from memzia.embeddings import EmbeddingProvider

        class Given(EmbeddingProvider):  # type: ignore[misc]
            def embed(self, text: str) -> Any:
                return embedder.embed([text])[0]

        class NoModel(Classifier):  # type: ignore[misc]
            def classify_relationship(self, *told: object, **named: object) -> str:
                return "unrelated"

        self._type: Any = Memzia
        self._given: Any = {"embedder": Given(), "classifier": NoModel()}
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory = self._type(db_path=str(folder / "memory.db"), **self._given)
        self.enter(["user"])

    def enter(self, owners: Sequence[str]) -> None:
        """A user for each owner."""
        self._users = list(owners)

    def shut(self) -> None:
        self._memory.store.close()

    def add(self, texts: Sequence[str]) -> None:
        for user in self._users:
            for text in texts:
                self._memory.remember(text, user_id=user)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._memory.recall(query, user_id=self._users[0], top_k=k)
        return [Hit(each["id"], each["content"], each["score"]) for each in found]

    def delete(self, id: str | int) -> None:
        self._said = self._memory.forget(user_id=self._users[0], memory_id=id)

    def claim(self) -> Claim:
        """That no recall sees it."""
        return Claim(self._said["status"] == "tombstoned", "reads", f"status {self._said['status']}")
