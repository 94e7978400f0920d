"""AutoGen's `RedisMemory`: add, query and clear; to delete an item, all others are written again."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Backend, Hit
from lethe.systems.redis_server import NAME, SearchServer, shared_vectorizer

PRELOADED = ("autogen_core.memory", "autogen_ext.memory.redis")
_EVERYTHING = 1_000_000
"""Limit of what RediSearch returns."""


class AutoGenRedisBackend(Backend):
    """One server for all cases, emptied before each; what is found has no score, so that ranks stand for scores.

    Items get new ids when they are added again, so each carries a number of ours in its metadata.

    Args:
        distance_threshold: cosine distance beyond which an item is not found; 2 finds all, AutoGen's own is 0.7.
    """

    def __init__(self, embedder: Embedder, distance_threshold: float = 2.0) -> None:
        from autogen_core.memory import MemoryContent, MemoryMimeType
        from autogen_ext.memory.redis import RedisMemory, RedisMemoryConfig, _redis_memory

        # It builds this class, which would download a model, and can be given no other.
        vectorizer = shared_vectorizer(embedder)
        _redis_memory.HFTextVectorizer = lambda model, dtype: vectorizer
        self._content, self._plain = MemoryContent, MemoryMimeType.TEXT
        self._memory_type: Any = RedisMemory
        self._server = SearchServer("autogen-redis")
        self._config = RedisMemoryConfig(
            redis_url=self._server.url, index_name=NAME, prefix=NAME, distance_threshold=distance_threshold
        )
        self._runner = asyncio.Runner()
        self._memory: Any = None
        self.reset()

    def reset(self) -> None:
        self._disconnect()
        self._server.empty()
        self._memory = self._memory_type(self._config)
        self._next_key = 0
        self._latest = ""

    def add(self, texts: Sequence[str]) -> None:
        self._write([(self._next_key + offset, text) for offset, text in enumerate(texts)])
        self._next_key += len(texts)
        self._latest = texts[-1]

    def search(self, query: str, k: int) -> list[Hit]:
        """The memory's own query, which refuses an empty one."""
        if not query:
            return []
        found = self._runner.run(self._memory.query(query, top_k=k)).results
        return [Hit(item.metadata["key"], item.content, -float(rank)) for rank, item in enumerate(found)]

    def delete(self, id: str | int) -> None:
        self.delete_ids([id])

    def delete_ids(self, ids: Sequence[str | int]) -> None:
        """Read everything, clear the memory, and add everything except these items."""
        # Any query would do; the vector of this one is at hand.
        kept = sorted((int(hit.id), hit.text) for hit in self.search(self._latest, _EVERYTHING) if hit.id not in ids)
        self._runner.run(self._memory.clear())
        self._write(kept)

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {"list": str(self.search(self._latest, _EVERYTHING))}

    def close(self) -> None:
        self._disconnect()
        self._runner.close()
        self._server.stop()

    def stored_bytes(self) -> bytes:
        return self._server.stored_bytes()

    def _write(self, items: Sequence[tuple[int, str]]) -> None:
        for key, text in items:
            item = self._content(content=text, mime_type=self._plain, metadata={"key": key})
            self._runner.run(self._memory.add(item))

    def _disconnect(self) -> None:
        # The memory's own `close` drops the index and keeps its connection.
        if self._memory is not None:
            self._memory.message_history._index.client.close()
