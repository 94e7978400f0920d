"""Lethe as a measured system: the store's own operations as a six-method Adapter, with a surface for the hook."""

from collections.abc import Sequence

from lethe.embedding.embedder import Embedder
from lethe.store.store import Store
from lethe.systems.protocol import Hit


class LetheAdapter:
    """One in-memory store per case, and one for each owner where there are owners. Recall uses vectors alone
    (docs/systems.md, "Exactness")."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._stores: dict[str, Store] = {}
        self.enter([""])

    @property
    def _store(self) -> Store:
        return self._stores[self._entered[0]]

    def enter(self, owners: Sequence[str]) -> None:
        for owner in owners:
            if owner not in self._stores:
                self._stores[owner] = Store(embed=self._embedder.embed, dim=self._embedder.dim)
        self._entered = tuple(owners)

    def reset(self) -> None:
        self._store.reset()
        for owner in self._stores.keys() - {self._entered[0]}:
            self._stores.pop(owner).close()
        self._entered = self._entered[:1]

    def inscribe(self, texts: Sequence[str]) -> None:
        for owner in self._entered:
            self._stores[owner].inscribe_many(texts)

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
        self.inscribe(texts)

    def delete(self, id: str | int) -> None:
        self._store.purge(int(id))

    def edit(self, id: str | int, text: str) -> None:
        self._store.edit(int(id), text)

    def release_ids(self, ids: Sequence[str | int]) -> None:
        """Submerge these memories."""
        for id in ids:
            self._store.release(int(id))

    def close(self) -> None:
        for store in self._stores.values():
            store.close()

    def stored_bytes(self) -> bytes:
        return b"".join(store.stored_bytes() for store in self._stores.values())
