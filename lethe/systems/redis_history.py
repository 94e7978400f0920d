"""RedisVL's `SemanticMessageHistory`: messages in Redis, found by their vectors; one is dropped by its id."""

from collections.abc import Mapping, Sequence
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Backend, Hit
from lethe.systems.redis_server import NAME, SearchServer, shared_vectorizer

PRELOADED = ("redisvl.extensions.message_history",)


class RedisHistoryBackend(Backend):
    """One history per case, each fact a message of the user; scores are cosines.

    Args:
        distance_threshold: cosine distance beyond which a message is not found; 2 finds all, RedisVL's own is 0.3.
    """

    def __init__(self, embedder: Embedder, distance_threshold: float = 2.0) -> None:
        from redisvl.extensions.message_history import SemanticMessageHistory

        self._history_type: Any = SemanticMessageHistory
        self._threshold = distance_threshold
        self._vectorizer = shared_vectorizer(embedder)
        self._server = SearchServer("redis-history")
        self.reset()

    def reset(self) -> None:
        self._server.empty()
        self._history = self._history_type(
            NAME,
            session_tag=NAME,
            vectorizer=self._vectorizer,
            distance_threshold=self._threshold,
            redis_client=self._server.client,
        )

    def add(self, texts: Sequence[str]) -> None:
        self._history.add_messages([{"role": "user", "content": text} for text in texts])

    def search(self, query: str, k: int) -> list[Hit]:
        """The history's own search, which refuses an empty query."""
        if not query:
            return []
        found = self._history.get_relevant(query, top_k=k, raw=True)
        # The ids that `drop` takes lack the prefix of the keys that are found.
        hits = ((item["id"].removeprefix(f"{NAME}:"), item["content"], item["vector_distance"]) for item in found)
        return [Hit(id, text, 1.0 - float(distance)) for id, text, distance in hits]

    def delete(self, id: str | int) -> None:
        self._history.drop(str(id))

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {"list": str(self._history.messages)}

    def close(self) -> None:
        self._server.stop()

    def stored_bytes(self) -> bytes:
        return self._server.stored_bytes()
