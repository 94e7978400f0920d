"""CrewAI's memory in the store: `LetheStorage`, a storage backend of its unified memory (CrewAI 1.15).

```python
from lethe.store.crewai import LetheStorage

storage = LetheStorage("memory.db", embedder="lethe-static-1", key="lethe.key")
crew = Crew(agents=[...], tasks=[...], memory=Memory(storage=storage, embedder=storage.embed))
receipt = storage.forget(scope_prefix="/users/ines")
```

Needs the package `crewai`.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lethe.store.documents import TEXT, Documents, dim_of
from lethe.store.errors import needing
from lethe.store.items import Item
from lethe.store.receipts import PurgeReceipt

with needing("crewai>=1.15"):
    from crewai.memory.storage.backend import EmbeddingDimensionMismatchError
    from crewai.memory.types import MemoryRecord, ScopeInfo

if TYPE_CHECKING:
    from lethe.store.keys import Key


class LetheStorage:
    """CrewAI's `StorageBackend` in a file that can be told to forget.

    A record that is saved under an id that is taken supersedes the older one; `delete` and `reset` erase, as a purge
    does, with every value that was there. A new file needs `dim`, the number of numbers of a vector, or the name of an
    `embedder` of the store, by which `embed` then embeds. `path`, `key`: as in `Store`. `collection`, `owner`: only
    records of these are seen and changed.

    Attributes:
        documents: what is beneath, with its `store` for receipts, the log and audits.
        embed: makes the vectors of texts by the store's embedder that was named, for CrewAI's `Memory(embedder=...)`.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        dim: int | None = None,
        embedder: str | None = None,
        collection: str = "crewai",
        key: "Key | str | Path | None" = None,
        owner: str | None = None,
    ) -> None:
        length = dim if embedder is not None else dim_of(path, dim)
        self.documents = Documents(path, collection, embedder=embedder, dim=length, key=key, owner=owner)
        self._dim = self.documents.store._dim
        self.embed = self.documents.embed

    def save(self, records: list[MemoryRecord]) -> None:
        """Store records, in one transaction; CrewAI's `EmbeddingDimensionMismatchError` for another embedder's."""
        told = {record.id: record for record in records}
        for record in records:
            self._check(record.embedding)
        values = {id: record.model_dump(mode="json") for id, record in told.items()}
        for value in values.values():
            value[TEXT] = value.pop("content")
            value["scope"] = _path(value["scope"]) or "/"
        self.documents.put(values, [record.embedding or None for record in told.values()])

    def update(self, record: MemoryRecord) -> None:
        """Store a record over the one with its id."""
        self.save([record])

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """The records that are nearest to a vector, with their cosines."""
        self._check(query_embedding)
        found = self.documents.nearest(query_embedding, limit, _asked(scope_prefix, categories, metadata_filter))
        return [(_record(item), score) for item, score in found if score >= min_score]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Erase the records that meet all that is given, as `forget` does; returns how many these were."""

        def is_old(item: Item) -> bool:
            return older_than is None or _moment(_record(item).created_at) < _moment(older_than)

        asked = _asked(scope_prefix, categories, metadata_filter, record_ids)
        count = sum(map(is_old, self.documents.listed(asked)))
        self.documents.erase(given=asked, only=is_old)
        return count

    def forget(
        self, scope_prefix: str | None = None, record_ids: list[str] | None = None, *, stay_forgotten: bool = False
    ) -> PurgeReceipt:
        """Erase the records of a scope, or with these ids; returns the receipt. `LookupError` if there is none.

        Of a record that was moved to another scope, what was told in this one is erased, and what stands there stays.
        """
        asked = _asked(scope_prefix, ids=record_ids)
        receipt = self.documents.erase(given=asked, stay_forgotten=stay_forgotten)
        if receipt is None:
            raise LookupError("no record is in that scope with such an id")
        return receipt

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """The record with this id, with its embedding; None if there is none."""
        found = self.documents.get([record_id])
        if not found:
            return None
        vector = self.documents.vector(found[0])
        return _record(found[0]).model_copy(update={"embedding": None if vector is None else vector.tolist()})

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        """The records of a scope, the newest first."""
        found = sorted(self._records(scope_prefix), key=lambda record: _moment(record.created_at), reverse=True)
        return found[offset : offset + limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """The records of a scope in numbers."""
        records = self._records(scope)
        times = [record.created_at for record in records]
        return ScopeInfo(
            path=_path(scope) or "/",
            record_count=len(records),
            categories=sorted({category for record in records for category in record.categories}),
            oldest_record=min(times, key=_moment, default=None),
            newest_record=max(times, key=_moment, default=None),
            child_scopes=_children(scope, records),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """The scopes directly below another."""
        return _children(parent, self._records(parent))

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """The categories of a scope, each with its number of records."""
        return dict(Counter(category for record in self._records(scope_prefix) for category in record.categories))

    def count(self, scope_prefix: str | None = None) -> int:
        """The number of records of a scope."""
        return len(self._records(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Erase the records of a scope, or all."""
        self.documents.erase(given=_asked(scope_prefix))

    async def asave(self, records: list[MemoryRecord]) -> None:
        """`save`, in a thread."""
        await asyncio.to_thread(self.save, records)

    async def asearch(self, query_embedding: list[float], **given: Any) -> list[tuple[MemoryRecord, float]]:
        """`search`, in a thread."""
        return await asyncio.to_thread(self.search, query_embedding, **given)

    async def adelete(self, **given: Any) -> int:
        """`delete`, in a thread."""
        return await asyncio.to_thread(self.delete, **given)

    def _check(self, vector: Sequence[float] | None) -> None:
        if vector and len(vector) != self._dim:
            raise EmbeddingDimensionMismatchError(self._dim, len(vector))

    def _records(self, scope: str | None) -> list[MemoryRecord]:
        return [_record(item) for item in self.documents.listed(_asked(scope))]


def _asked(
    scope: str | None = None,
    categories: Sequence[str] | None = None,
    metadata: dict[str, Any] | None = None,
    ids: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The store's filter of what CrewAI asks for; what lies below a path is one range of strings."""
    asked: dict[str, Any] = {}
    if path := _path(scope):
        asked["$or"] = [{"scope": path}, {"scope": {"$gte": f"{path}/", "$lt": f"{path}0"}}]
    if categories:
        asked["$and"] = [{"$or": [{"categories": {"$contains": each}} for each in categories]}]
    if metadata:
        asked["metadata"] = metadata
    if ids is not None:
        asked["id"] = {"$in": list(ids)}
    return asked


def _moment(told: datetime) -> datetime:
    """A time in UTC, in which CrewAI has times without a zone."""
    return told.replace(tzinfo=UTC) if told.tzinfo is None else told


def _path(scope: str | None) -> str:
    """A scope with a slash before each of its labels; empty for the root."""
    return "".join(f"/{label}" for label in (scope or "").split("/") if label)


def _children(parent: str, records: Sequence[MemoryRecord]) -> list[str]:
    start = f"{_path(parent)}/"
    below = (_path(record.scope) for record in records)
    return sorted({start + path[len(start) :].split("/")[0] for path in below if path.startswith(start)})


def _record(item: Item) -> MemoryRecord:
    value = dict(item.value)
    return MemoryRecord(content=value.pop(TEXT), **value)
