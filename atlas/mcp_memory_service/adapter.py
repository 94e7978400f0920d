"""MCP Memory Service: memories by the hash of their text in SQLite with vectors, of a server for agents."""

import asyncio
import sys
from collections.abc import Coroutine, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder, Vectors
from forgeteval.stores.contract import Claim, Hit
from lethe.systems.in_folder import FolderBackend


class _Model:
    """The benchmark's embedder with the interface of a sentence-transformers model."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def encode(self, texts: Sequence[str], **options: Any) -> Vectors:
        return self._embedder.embed(list(texts))


class McpMemoryServiceBackend(FolderBackend):
    """One database per case. A supersession makes a version, `delete` a tombstone; its purge takes tombstones away."""

    def __init__(self, embedder: Embedder) -> None:
        import pysqlite3

        sys.modules["sqlite3"] = pysqlite3
        from mcp_memory_service.models.memory import Memory
        from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage

        class Storage(SqliteVecMemoryStorage):  # type: ignore[misc]
            async def _initialize_embedding_model(self) -> None:
                self.embedding_model = _Model(embedder)

        self._type, self._memory = Storage, Memory
        self._loop = asyncio.new_event_loop()
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._storage: Any = self._type(db_path=str(folder / "memory.db"))
        self._run(self._storage.initialize())

    def shut(self) -> None:
        self._run(self._storage.close())

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            memory = self._memory(content=text, content_hash=sha256(text.encode()).hexdigest())
            self._run(self._storage.store(memory))

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._run(self._storage.retrieve(query, n_results=k))
        return [Hit(each.memory.content_hash, each.memory.content, each.relevance_score) for each in found]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._run(self._storage.update_memory_versioned(id, text))

    def release_ids(self, ids: Sequence[str | int]) -> None:
        for id in ids:
            self._run(self._storage.delete(id))

    def delete(self, id: str | int) -> None:
        """A tombstone, and the purge of all of them."""
        self._run(self._storage.delete(id))
        self._purged = self._run(self._storage.purge_deleted(0))

    def claim(self) -> Claim:
        """How many tombstones its purge says that it has deleted permanently."""
        return Claim(self._purged > 0, "reads", f"{self._purged} permanently deleted")

    def _run(self, call: Coroutine[Any, Any, Any]) -> Any:
        return self._loop.run_until_complete(call)
