"""LangGraph `InMemoryStore` with a vector index (LangMem's default store): add, search, delete; no soft delete."""

from collections.abc import Sequence
from typing import Any

from lethe.embedding.embedder import Embedder
from lethe.systems.protocol import Hit

_NAMESPACE = ("case",)


class LangGraphBackend:
    """One `InMemoryStore` per case; only the fact's text is embedded; scores are cosines."""

    def __init__(self, embedder: Embedder) -> None:
        from langgraph.store.memory import InMemoryStore

        def embed(texts: Sequence[str]) -> list[list[float]]:
            vectors: list[list[float]] = embedder.embed(list(texts)).tolist()
            return vectors

        self._store_type: Any = InMemoryStore
        self._index = {"dims": embedder.dim, "embed": embed, "fields": ["text"]}
        self.reset()

    def reset(self) -> None:
        self._store = self._store_type(index=self._index)
        self._next_key = 0

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._store.put(_NAMESPACE, str(self._next_key), {"text": text})
            self._next_key += 1

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._store.search(_NAMESPACE, query=query, limit=k)
        return [Hit(item.key, item.value["text"], item.score) for item in found]

    def delete(self, id: str | int) -> None:
        self._store.delete(_NAMESPACE, str(id))

    def close(self) -> None:
        """Do nothing: the store lives in this process's memory."""
