"""Haystack: its document store in memory, asked by words."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from forgeteval.stores.contract import Backend, Hit


class HaystackBackend(Backend):
    """One store per case; each fact is a document, with its owner among its fields."""

    def __init__(self) -> None:
        os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
        from haystack import Document
        from haystack.document_stores.in_memory import InMemoryDocumentStore
        from haystack.document_stores.types import DuplicatePolicy

        self._document, self._type, self._policy = Document, InMemoryDocumentStore, DuplicatePolicy.OVERWRITE
        self._store: Any = None
        self.reset()

    def reset(self) -> None:
        self.close()
        self._store = self._type(shared=False)
        self._owners = ["user"]

    def close(self) -> None:
        if self._store is not None:
            self._store.shutdown()

    def enter(self, owners: Sequence[str]) -> None:
        self._owners = list(owners)

    def add(self, texts: Sequence[str]) -> None:
        for owner in self._owners:
            told = [self._document(content=text, meta={"owner": owner}) for text in texts]
            self._store.write_documents(told, policy=self._policy)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._store.bm25_retrieval(query, filters=self._own(), top_k=k)
        return [Hit(each.id, each.content, each.score) for each in found]

    def delete(self, id: str | int) -> None:
        self._store.delete_documents([id])

    def _own(self) -> Mapping[str, str]:
        return {"field": "meta.owner", "operator": "==", "value": self._owners[0]}
