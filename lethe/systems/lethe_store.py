"""Lethe as a measured system: the store's own operations as a six-method Adapter, with a surface for the hook."""

from collections.abc import Sequence

from lethe.embedding.embedder import Embedder
from lethe.store.store import Store
from lethe.systems.protocol import Hit


class LetheAdapter:
    """One in-memory store per case. Recall uses vectors alone (docs/systems.md, "Exactness")."""

    def __init__(self, embedder: Embedder) -> None:
        self._store = Store(embed=embedder.embed, dim=embedder.dim)

    def reset(self) -> None:
        self._store.reset()

    def inscribe(self, texts: Sequence[str]) -> None:
        self._store.inscribe_many(texts)

    def recall_texts(self, query: str, k: int) -> list[str]:
        return [memory.text for memory in self._store.recall(query, k, mode="vector")]

    def supersede(self, query: str, text: str) -> None:
        self._store.supersede_matching(query, text)

    def release(self, query: str) -> None:
        self._store.release_matching(query)

    def purge(self, query: str) -> None:
        self._store.purge_matching(query)

    def search(self, query: str, k: int) -> list[Hit]:
        """Hybrid recall; the score is the similarity, 0 for a memory that BM25 alone found."""
        return [Hit(found.memory_id, found.text, found.similarity) for found in self._store.recall(query, k)]

    def add(self, texts: Sequence[str]) -> None:
        self._store.inscribe_many(texts)

    def delete(self, id: str | int) -> None:
        self._store.purge(int(id))

    def edit(self, id: str | int, text: str) -> None:
        self._store.edit(int(id), text)

    def release_ids(self, ids: Sequence[str | int]) -> None:
        """Submerge these memories."""
        for id in ids:
            self._store.release(int(id))

    def close(self) -> None:
        self._store.close()

    def stored_bytes(self) -> bytes:
        return self._store.stored_bytes()
