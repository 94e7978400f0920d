"""YantrikDB: an embedded engine with vectors, a graph, half-lives and a log of operations."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import sleep
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend

_NAMESPACE = "default"
_PENDING = "SELECT COUNT(*) AS pending FROM oplog WHERE applied = 0"


class _Model:
    """The benchmark's embedder with the interface of a sentence-transformers model."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def encode(self, text: str) -> list[float]:
        vector: list[float] = self._embedder.embed([text])[0].tolist()
        return vector


class YantrikdbBackend(FolderBackend):
    """One database per case, a namespace for each owner. `correct` keeps revisions, `forget` leaves a tombstone."""

    def __init__(self, embedder: Embedder) -> None:
        from yantrikdb import YantrikDB

        self._type: Any = YantrikDB
        self._model, self._dim = _Model(embedder), embedder.dim
        super().__init__()

    def begin(self, folder: Path) -> None:
        file = str(folder / "memory.db")
        self._memory = self._type(file, embedding_dim=self._dim, embedder=self._model)
        self._namespaces = [_NAMESPACE]

    def shut(self) -> None:
        self._memory.close()

    def enter(self, owners: Sequence[str]) -> None:
        self._namespaces = list(owners)

    def add(self, texts: Sequence[str]) -> None:
        for namespace in self._namespaces:
            for text in texts:
                self._memory.record(text, namespace=namespace)

    def search(self, query: str, k: int) -> list[Hit]:
        self._wait()
        found = self._memory.recall(query=query, top_k=k, namespace=self._namespaces[0])
        return [Hit(each["rid"], each["text"], each["score"]) for each in found]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._memory.correct(id, "asked for", new_text=text)

    def delete(self, id: str | int) -> None:
        self._memory.forget(id)

    def work(self) -> None:
        """Its consolidation, which merges what is alike and looks for contradictions."""
        self._memory.think()

    def _wait(self) -> None:
        """Until its threads have done what is pending: which names a text has they find after it is told."""
        while self._memory._conn.execute(_PENDING).fetchone()["pending"]:
            sleep(0.002)

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {
            "get": str(self._memory.get(id)),
            "list": str(self._memory.list_memories()),
            "history": str(self._memory.history(id)),
        }
