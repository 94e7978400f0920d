"""Mem0 without its LLM router (`infer=False`) on an in-memory Qdrant: add, search, delete."""

import os
from collections.abc import Sequence
from typing import Any

from lethe.embedding.embedder import Embedder
from lethe.systems.protocol import Hit

USER = "case"
_NO_SERVICE = {"api_key": "unused", "openai_base_url": "http://127.0.0.1:9"}
"""Key and endpoint that Mem0 demands for services that are never called here; nothing listens at that address."""


class _SharedEmbedder:
    """Mem0's embedder interface in front of the benchmark's embedder."""

    def __init__(self, embedder: Embedder, config: Any) -> None:
        self._embedder, self.config = embedder, config

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return [vector.tolist() for vector in self._embedder.embed(list(texts))]


class Mem0Backend:
    """One Qdrant collection and one history database, emptied by Mem0's own `reset` before each case."""

    def __init__(self, embedder: Embedder) -> None:
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ.pop("OPENROUTER_API_KEY", None)
        from mem0 import Memory
        from qdrant_client import QdrantClient

        client = QdrantClient(":memory:")
        qdrant = {"collection_name": "case", "embedding_model_dims": embedder.dim, "client": client}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": qdrant},
                "embedder": {"provider": "openai", "config": {"embedding_dims": embedder.dim, **_NO_SERVICE}},
                "llm": {"provider": "openai", "config": _NO_SERVICE},
                "history_db_path": ":memory:",
            }
        )
        self._memory.embedding_model = _SharedEmbedder(embedder, self._memory.embedding_model.config)

    def reset(self) -> None:
        self._memory.reset()

    def add(self, texts: Sequence[str]) -> None:
        messages = [{"role": "user", "content": text} for text in texts]
        self._memory.add(messages, user_id=USER, infer=False)

    def search(self, query: str, k: int) -> list[Hit]:
        if not query:
            # Refused by Mem0; Memora has mutations without a query.
            return []
        found = self._memory.search(query, filters={"user_id": USER}, top_k=k, threshold=0.0)
        return [Hit(item["id"], item["memory"], item["score"]) for item in found["results"]]

    def delete(self, id: str | int) -> None:
        self._memory.delete(id)

    def close(self) -> None:
        self._memory.close()

    def stored_bytes(self) -> bytes:
        """The history database and every live Qdrant payload."""
        points, _ = self._memory.vector_store.client.scroll("case", limit=100_000)
        payloads = "\n".join(str(point.payload["data"]) for point in points)
        history: bytes = self._memory.db.connection.serialize()
        return history + payloads.encode()
