"""Qdrant as a plain vector store: the client's local mode, in memory or in a folder, which compares every vector."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Backend, Hit

PRELOADED = ("qdrant_client",)
_COLLECTION = "case"
_EVERYTHING = 1_000_000


class QdrantBackend(Backend):
    """One collection per case; scores are cosines."""

    def __init__(self, embedder: Embedder) -> None:
        from qdrant_client import QdrantClient, models

        self._embedder = embedder
        self._models: Any = models
        self._vectors = models.VectorParams(size=embedder.dim, distance=models.Distance.COSINE)
        self._new_client: Any = QdrantClient
        self._client = QdrantClient(":memory:")
        self.reset()

    def reset(self) -> None:
        self._client.delete_collection(_COLLECTION)
        self._client.create_collection(_COLLECTION, vectors_config=self._vectors)
        self._next_id = 0

    def add(self, texts: Sequence[str]) -> None:
        ids = range(self._next_id, self._next_id + len(texts))
        self._next_id = ids.stop
        vectors = self._embedder.embed(list(texts)).tolist()
        payloads = [{"text": text} for text in texts]
        batch = self._models.Batch(ids=list(ids), vectors=vectors, payloads=payloads)
        self._client.upsert(_COLLECTION, batch)

    def search(self, query: str, k: int) -> list[Hit]:
        vector = self._embedder.embed([query])[0].tolist()
        found = self._client.query_points(_COLLECTION, query=vector, limit=k)
        return [Hit(point.id, point.payload["text"], point.score) for point in found.points]

    def delete(self, id: str | int) -> None:
        self._client.delete(_COLLECTION, self._models.PointIdsList(points=[id]))

    def open(self, folder: Path) -> None:
        self._client.close()
        self._client = self._new_client(path=str(folder))
        if not self._client.collection_exists(_COLLECTION):
            self.reset()
        self._next_id = max((point.id + 1 for point in self._everything()), default=0)

    def shut(self) -> None:
        self._client.close()

    def reads(self, id: str | int) -> Mapping[str, str]:
        found = self._client.retrieve(_COLLECTION, [id], with_vectors=True)
        return {"get": str(found), "list": str(self._everything())}

    def _everything(self) -> Any:
        points, _ = self._client.scroll(_COLLECTION, limit=_EVERYTHING)
        return points

    def close(self) -> None:
        self._client.close()
