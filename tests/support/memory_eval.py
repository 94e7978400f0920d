"""The store as `memoryeval` plays its scenarios on it: written, read, searched, updated, deleted, listed, merged.

A memory has a vector for its text and one for each tag, which says what the text is about: what is found by a tag alone
comes behind what is found by its text. A key that ends in a version, as `status_v2`, is the next value of `status`:
what is written under it supersedes the one before.
"""

import re
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
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

from lethe.store import items
from lethe.store.documents import TEXT, Documents
from lethe.store.items import Embedded, Item, Put
from lethe.store.thresholds import FLOOR

_LEAST = 1 - 2 * (1 - FLOOR) ** 2
"""The store's floor as a cosine: what is less near to a question is not an answer to it."""
_MARKS = ("source", "user_id", "session_id", "agent_id")
_VERSION = re.compile(r"_v\d+$")


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
            tags = list(given.tags)
            value = {TEXT: content, "key": told, "type": memory_type.value, "tags": tags, "extra": given.extra}
            vectors = self.documents._embedded([content, *tags])
            embedded = [
                Embedded(text, [TEXT if n == 0 else "tags", max(0, n - 1)], vector)
                for n, (text, vector) in enumerate(zip([content, *tags], vectors, strict=True))
            ]
            value |= {mark: getattr(given, mark) for mark in _MARKS}
            with items.writing(self.documents.store) as writing:
                writing.put([Put(self.documents._namespace, of_item(told), value, embedded)])
        return WriteResult(told, True, record["latency_ms"])

    async def read(self, key: str) -> MemoryEntry | None:
        async with self._track("read"):
            found = self.documents.get([of_item(key)])
            return entry(found[0]) if found and found[0].value["key"] == key else None

    async def search(self, query: str, *, limit: int = 10, filters: SearchFilters | None = None) -> list[SearchResult]:
        async with self._track("search"):
            near = [each for each in self.documents.nearest(query, limit, asked(filters)) if each[1] >= _LEAST]
            wanted = np.frombuffer(self.documents.store._query_vector(query), "<f4")
            with items.looking(self.documents.store) as batch:
                by_text = {id: float(own @ wanted) for id, own in batch.vectors([item for item, _ in near]).items()}

            def place(found: tuple[Item, float]) -> tuple[bool, float]:
                item, best = found
                said = by_text[item.memory_id]
                return said >= _LEAST, said if said >= _LEAST else best

            near.sort(key=place, reverse=True)
            return [SearchResult(entry(each[0]), place(each)[1], n) for n, each in enumerate(near, 1)]

    async def update(self, key: str, content: str, *, metadata: MemoryMetadata | None = None) -> WriteResult:
        known = await self.read(key)
        if known is None:
            return WriteResult(key, False, 0.0)
        return await self.write(content, key=key, metadata=metadata or known.metadata, memory_type=known.memory_type)

    async def delete(self, key: str) -> bool:
        async with self._track("delete"):
            return self.documents.erase([of_item(key)]) is not None

    async def list_all(self, *, filters: SearchFilters | None = None, limit: int = 100) -> list[MemoryEntry]:
        async with self._track("list_all"):
            return [entry(item) for item in self.documents.listed(asked(filters), limit)]

    async def consolidate(self, source_keys: list[str], *, strategy: str = "merge") -> WriteResult:
        keys = list(map(of_item, source_keys))
        found = self.documents.get(keys)
        texts: Sequence[str] = [item.value[TEXT] for item in found]
        if not texts:
            return WriteResult("", False, 0.0)
        self.documents.erase(keys)
        told = dict.fromkeys(texts) if strategy == "deduplicate" else texts
        return await self.write("\n".join(told), metadata=entry(found[0]).metadata)

    async def create_session(self, *, session_id: str | None = None, user_id: str | None = None) -> str:
        return session_id or str(uuid.uuid4())

    async def add_message(self, session_id: str, message: Message) -> WriteResult:
        metadata = MemoryMetadata(session_id=session_id)
        return await self.write(message.content, metadata=metadata, memory_type=MemoryType.EPISODIC)

    async def get_session_context(self, session_id: str, query: str | None = None) -> SessionContext:
        async with self._track("get_session_context"):
            told = self.documents.listed({"session_id": session_id})
            return SessionContext(session_id, [item.value[TEXT] for item in reversed(told)])

    async def reset(self) -> None:
        self.documents.erase()
        self.clear_operation_log()


def of_item(key: str) -> str:
    """The key without its version."""
    return _VERSION.sub("", key)


def entry(item: Item) -> MemoryEntry:
    value = item.value
    marks = {mark: value[mark] for mark in _MARKS}
    metadata = MemoryMetadata(**marks, tags=tuple(value["tags"]), extra=value["extra"])
    told, changed = (datetime.fromtimestamp(at, UTC) for at in (item.created_at, item.updated_at))
    return MemoryEntry(value["key"], value[TEXT], MemoryType(value["type"]), metadata, told, changed)


def asked(filters: SearchFilters | None) -> dict[str, Any]:
    if filters is None:
        return {}
    given: dict[str, Any] = {mark: getattr(filters, mark) for mark in _MARKS[1:] if getattr(filters, mark)}
    if filters.memory_type:
        given["type"] = filters.memory_type.value
    if filters.tags:
        given["$and"] = [{"tags": {"$contains": tag}} for tag in filters.tags]
    return given
