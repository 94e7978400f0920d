"""The store as `memoryeval` plays its scenarios on it: written, read, searched, updated, deleted, listed, merged."""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memeval.protocol.base import MemoryProtocol
from memeval.protocol.types import (
    MemoryEntry,
    MemoryMetadata,
    MemoryType,
    Message,
    SearchFilters,
    SearchResult,
    SessionContext,
    WriteResult,
)

from lethe.store.documents import Documents
from lethe.store.items import Item
from lethe.store.thresholds import FLOOR

_LEAST = 1 - 2 * (1 - FLOOR) ** 2
"""The store's floor as a cosine: what is less near to a question is not an answer to it."""
_MARKS = ("source", "user_id", "session_id", "agent_id")


class LetheAdapter(MemoryProtocol):
    """Keys, metadata and sessions are those of the store's documents; what is deleted is erased."""

    def __init__(self, path: str | Path = ":memory:", embedder: Any = None) -> None:
        super().__init__()
        self.documents = Documents(path, "memoryeval", embedder=embedder)

    async def write(
        self,
        content: str,
        *,
        key: str | None = None,
        metadata: MemoryMetadata | None = None,
        memory_type: MemoryType = MemoryType.SEMANTIC,
    ) -> WriteResult:
        async with self._track("write") as record:
            told = key or str(uuid.uuid4())
            given = metadata or MemoryMetadata()
            value = {"text": content, "type": memory_type.value, "tags": list(given.tags), "extra": given.extra}
            self.documents.put({told: value | {mark: getattr(given, mark) for mark in _MARKS}})
        return WriteResult(told, True, record["latency_ms"])

    async def read(self, key: str) -> MemoryEntry | None:
        async with self._track("read"):
            found = self.documents.get([key])
            return entry(found[0]) if found else None

    async def search(self, query: str, *, limit: int = 10, filters: SearchFilters | None = None) -> list[SearchResult]:
        async with self._track("search"):
            found = [each for each in self.documents.nearest(query, limit, asked(filters)) if each[1] >= _LEAST]
            return [SearchResult(entry(item), score, n) for n, (item, score) in enumerate(found, 1)]

    async def update(self, key: str, content: str, *, metadata: MemoryMetadata | None = None) -> WriteResult:
        known = await self.read(key)
        if known is None:
            return WriteResult(key, False, 0.0)
        return await self.write(content, key=key, metadata=metadata or known.metadata, memory_type=known.memory_type)

    async def delete(self, key: str) -> bool:
        async with self._track("delete"):
            return self.documents.erase([key]) is not None

    async def list_all(self, *, filters: SearchFilters | None = None, limit: int = 100) -> list[MemoryEntry]:
        async with self._track("list_all"):
            return [entry(item) for item in self.documents.listed(asked(filters), limit)]

    async def consolidate(self, source_keys: list[str], *, strategy: str = "merge") -> WriteResult:
        items = self.documents.get(source_keys)
        texts: Sequence[str] = [item.value["text"] for item in items]
        if not texts:
            return WriteResult("", False, 0.0)
        self.documents.erase(source_keys)
        told = dict.fromkeys(texts) if strategy == "deduplicate" else texts
        return await self.write("\n".join(told), metadata=entry(items[0]).metadata)

    async def create_session(self, *, session_id: str | None = None, user_id: str | None = None) -> str:
        return session_id or str(uuid.uuid4())

    async def add_message(self, session_id: str, message: Message) -> WriteResult:
        metadata = MemoryMetadata(session_id=session_id)
        return await self.write(message.content, metadata=metadata, memory_type=MemoryType.EPISODIC)

    async def get_session_context(self, session_id: str, query: str | None = None) -> SessionContext:
        async with self._track("get_session_context"):
            told = self.documents.listed({"session_id": session_id})
            return SessionContext(session_id, [item.value["text"] for item in reversed(told)])

    async def reset(self) -> None:
        self.documents.erase()
        self.clear_operation_log()


def entry(item: Item) -> MemoryEntry:
    value = item.value
    marks = {mark: value[mark] for mark in _MARKS}
    metadata = MemoryMetadata(**marks, tags=tuple(value["tags"]), extra=value["extra"])
    told, changed = (datetime.fromtimestamp(at, UTC) for at in (item.created_at, item.updated_at))
    return MemoryEntry(item.key, value["text"], MemoryType(value["type"]), metadata, told, changed)


def asked(filters: SearchFilters | None) -> dict[str, Any]:
    if filters is None:
        return {}
    given: dict[str, Any] = {mark: getattr(filters, mark) for mark in _MARKS[1:] if getattr(filters, mark)}
    if filters.memory_type:
        given["type"] = filters.memory_type.value
    if filters.tags:
        given["$and"] = [{"tags": {"$contains": tag}} for tag in filters.tags]
    return given
