"""LangGraph `InMemoryStore` with a vector index (LangMem's default store): add, search, delete; no soft delete."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Backend, Hit

PRELOADED = ("langgraph.store.memory",)
NAMESPACE = "case"
EVERYTHING = 1_000_000


class LangGraphBackend(Backend):
    """One `InMemoryStore` per case; only the fact's text is embedded; scores are cosines."""

    def __init__(self, embedder: Embedder) -> None:
        from langgraph.store.memory import InMemoryStore

        self._store_type: Any = InMemoryStore
        self._index = {"dims": embedder.dim, "embed": _rows_of(embedder), "fields": ["text"]}
        self.reset()

    def reset(self) -> None:
        self._store = self._store_type(index=self._index)
        self._next_key = 0
        self._namespaces: list[tuple[str, ...]] = [(NAMESPACE,)]

    def enter(self, owners: Sequence[str]) -> None:
        """A namespace for each owner."""
        self._namespaces = [(NAMESPACE, owner) for owner in owners]

    def add(self, texts: Sequence[str]) -> None:
        for namespace in self._namespaces:
            for text in texts:
                self._store.put(namespace, str(self._next_key), {"text": text})
                self._next_key += 1

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._store.search(self._namespaces[0], query=query, limit=k)
        return [Hit(item.key, item.value["text"], item.score) for item in found]

    def delete(self, id: str | int) -> None:
        self._store.delete(self._namespaces[0], str(id))

    def reads(self, id: str | int) -> Mapping[str, str]:
        listed = self._store.search(self._namespaces[0], limit=EVERYTHING)
        return {"get": str(self._store.get(self._namespaces[0], str(id))), "list": str(listed)}

    def close(self) -> None:
        """Do nothing: the store lives in this process's memory."""


def _rows_of(embedder: Embedder) -> Callable[[Sequence[str]], Any]:
    """The embedder's vectors as what this store makes of lists of numbers at each search, double precision, so that it
    need not."""
    return lambda texts: list(embedder.embed(list(texts)).astype("float64"))


def lists_of(embedder: Embedder) -> Callable[[Sequence[str]], list[list[float]]]:
    """The embedder's vectors as lists of numbers, which is what LangGraph takes."""
    return lambda texts: [vector.tolist() for vector in embedder.embed(list(texts))]
