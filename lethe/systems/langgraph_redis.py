"""LangGraph `RedisStore` with a vector index: put, search, delete, on a Redis server on loopback; no soft delete."""

import re
from typing import Any

from forgeteval.embed.embedder import Embedder
from lethe.systems.langgraph import NAMESPACE, LangGraphBackend, lists_of
from lethe.systems.redis_server import SearchServer

PRELOADED = ("langgraph.store.redis",)
_VECTOR = re.compile(rb'"embedding":\[[^\]]*\]')


class LangGraphRedisBackend(LangGraphBackend):
    """One server for all cases, emptied before each; only the fact's text is embedded; scores are cosines."""

    def __init__(self, embedder: Embedder) -> None:
        from langgraph.store.redis import RedisStore

        self._store_type: Any = RedisStore
        self._index = {"dims": embedder.dim, "embed": lists_of(embedder), "fields": ["text"]}
        self._server = SearchServer("langgraph-redis")
        self.reset()

    def reset(self) -> None:
        self._server.empty()
        self._store = self._store_type(self._server.client, index=self._index)
        self._store.setup()
        self._next_key = 0
        self._namespaces = [(NAMESPACE,)]

    def close(self) -> None:
        self._server.stop()

    def stored_bytes(self) -> bytes:
        """What the server saves, without the vectors: as digits of JSON they hold the number of any door by chance."""
        return _VECTOR.sub(b"", self._server.stored_bytes())
