"""Mem0 without its LLM router (`infer=False`) on Qdrant, in memory or in a folder: add, search, delete."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Backend, Hit
from lethe.systems import mem0_language, mem0_qdrant

DATA_FILES = ("mem0_bm25",)
# Mem0 itself writes to HOME as soon as it is imported.
PRELOADED = ("qdrant_client", "openai", "sqlalchemy", "fastembed", "lethe.systems.mem0_language:model")
USER = "case"
_EVERYTHING = 1_000_000
_STOP_WORDS = Path(__file__).with_name(DATA_FILES[0])
"""Folder in place of fastembed's download `Qdrant/bm25`: NLTK's English stop words, without those that contain an
apostrophe, which its tokenizer takes apart."""
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


class Mem0Backend(Backend):
    """One Qdrant collection and one history database, emptied before each case.

    Args:
        threshold: cosine that a memory needs to be found.
        signals: rank by BM25 of lemmas too, as Mem0 does where fastembed and spaCy are installed.
        one_collection: delete the memories of the last case one by one (`delete_all`), instead of recreating the
            collection (`reset`); what the collection counts over all of its memories goes on from case to case.
    """

    def __init__(
        self, embedder: Embedder, threshold: float = 0.0, signals: bool = False, one_collection: bool = False
    ) -> None:
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ.pop("OPENROUTER_API_KEY", None)
        from qdrant_client import QdrantClient

        self._new_client: Any = QdrantClient
        self._embedder, self._signals = embedder, signals
        self._threshold, self._one_collection = threshold, one_collection
        self._users = [USER]
        if one_collection:
            mem0_qdrant.hasten()
        if signals:
            mem0_language.hand_over()
        self._build(QdrantClient(":memory:"), ":memory:")

    def _build(self, client: Any, history: str) -> None:
        from mem0 import Memory

        dim = self._embedder.dim
        self._memory = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"collection_name": "case", "embedding_model_dims": dim, "client": client},
                },
                "embedder": {"provider": "openai", "config": {"embedding_dims": dim, **_NO_SERVICE}},
                "llm": {"provider": "openai", "config": _NO_SERVICE},
                "history_db_path": history,
            }
        )
        self._memory.embedding_model = _SharedEmbedder(self._embedder, self._memory.embedding_model.config)
        if self._signals:
            self._memory.vector_store._bm25_encoder = _bm25()

    def enter(self, owners: Sequence[str]) -> None:
        """A user id for each owner."""
        self._users = list(owners)

    def reset(self) -> None:
        self._users = [USER]
        if not self._one_collection:
            self._memory.reset()
            return
        scope = {"user_id": USER}
        # One call deletes no more than the hundred memories of one listing.
        while self._memory.vector_store.list(filters=scope, top_k=1)[0]:
            self._memory.delete_all(**scope)
        self._memory.db.reset()

    def add(self, texts: Sequence[str]) -> None:
        messages = [{"role": "user", "content": text} for text in texts]
        if self._signals:
            mem0_language.read_for_lemmas(texts)
        for user in self._users:
            self._memory.add(messages, user_id=user, infer=False)

    def search(self, query: str, k: int) -> list[Hit]:
        if not query:
            # Refused by Mem0; Memora has mutations without a query.
            return []
        found = self._memory.search(query, filters={"user_id": self._users[0]}, top_k=k, threshold=self._threshold)
        return [Hit(item["id"], item["memory"], item["score"]) for item in found["results"]]

    def delete(self, id: str | int) -> None:
        self._memory.delete(id)

    def close(self) -> None:
        self._memory.close()

    def open(self, folder: Path) -> None:
        """Qdrant on disk and the history in a file, which is how Mem0 comes; the other configurations keep both in
        memory."""
        self.shut()
        self._users = [USER]
        self._build(self._new_client(path=str(folder / "qdrant")), str(folder / "history.db"))

    def shut(self) -> None:
        self._memory.close()
        self._memory.vector_store.client.close()

    def reads(self, id: str | int) -> Mapping[str, str]:
        everything = self._memory.get_all(filters={"user_id": self._users[0]}, top_k=_EVERYTHING)
        return {"get": str(self._memory.get(id)), "list": str(everything), "history": str(self._memory.history(id))}

    def stored_bytes(self) -> bytes:
        """The history database and every live Qdrant payload."""
        points, _ = self._memory.vector_store.client.scroll("case", limit=100_000)
        payloads = "\n".join(str(point.payload["data"]) for point in points)
        history: bytes = self._memory.db.connection.serialize()
        return history + payloads.encode()


def _bm25() -> Any:
    """The encoder that Mem0 would load from a hub."""
    from fastembed import SparseTextEmbedding

    return SparseTextEmbedding("Qdrant/bm25", specific_model_path=str(_STOP_WORDS))
