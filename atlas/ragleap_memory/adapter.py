"""RagLeap Memory: facts of a scope in SQLite with a full-text index; corrections supersede."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend


class RagleapBackend(FolderBackend):
    """One file per case, a scope for each owner. `forget` deletes a fact, `compact` clears the index of it."""

    def __init__(self) -> None:
        from ragleap_memory.sqlite_store import Scope, SQLiteStore

        self._type: Any = SQLiteStore
        self._scope: Any = Scope
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._store = self._type(str(folder / "memory.db"))
        self.enter(["user"])

    def enter(self, owners: Sequence[str]) -> None:
        self._scopes = [self._scope("tenant", owner) for owner in owners]

    def shut(self) -> None:
        self._store.close()

    def add(self, texts: Sequence[str]) -> None:
        for scope in self._scopes:
            for text in texts:
                self._store.add(scope, text)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._store.search(self._scopes[0], query, k=k)
        return [Hit(each.entry.id, each.entry.text, each.score) for each in found]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._store.supersede(self._scopes[0], id, text)

    def delete(self, id: str | int) -> None:
        self.delete_ids([id])

    def delete_ids(self, ids: Sequence[str | int]) -> None:
        self._store.forget(self._scopes[0], list(ids))

    def compact(self) -> None:
        self._store.compact()
