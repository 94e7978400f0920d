"""memory-as-history: memories in SQLite with sources and an audit of each decision, found by words."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend

_REASON, _MANY = "asked for", 100_000


class MemoryAsHistoryBackend(FolderBackend):
    """One file per case. `forget` wants a reason and leaves a tombstone; it has no erasure, and it restores."""

    def __init__(self) -> None:
        from memory_as_history.storage import Store

        self._type: Any = Store
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._store = self._type(str(folder / "memory.db"))

    def shut(self) -> None:
        self._store.close()

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._store.remember(text, source="user")

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._store.recall(query, limit=k)["memories"]
        return [Hit(each["id"], each["content"], each["relevance"]) for each in found]

    def delete(self, id: str | int) -> None:
        self._store.forget(id, _REASON)

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {"get": str(self._store.get(id)), "history": str(self._store.list_forgotten())}

    def past(self, query: str, k: int) -> list[str]:
        """With all that was forgotten restored."""
        for each in self._store.list_forgotten(_MANY):
            self._store.restore(each["id"], _REASON)
        return [hit.text for hit in self.search(query, k)]
