"""memd: raw turns and facts of users in a namespace, encrypted, beside a SQLite cache with full-text search."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from forgeteval.stores.contract import Hit
from forgeteval.stores.policies import ComposedAdapter
from lethe.systems.in_folder import FolderBackend


class Memd(ComposedAdapter):
    """Its own forgetting by a query; what else is mutated is the best match."""

    def __init__(self) -> None:
        self._own = MemdBackend()
        super().__init__(self._own, {"supersede": "best_match", "release": "best_match", "purge": "equal_text"})

    def release(self, query: str) -> None:
        self._own.forget(query)


class MemdBackend(FolderBackend):
    """One directory for all cases, and a user for each owner; each fact has an entity key of its own.

    A further fact of a key supersedes it; `delete(hard=True)` has a record purged by `compact`.
    """

    def __init__(self) -> None:
        from memd import Memory

        self._type: Any = Memory
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory = self._type(str(folder / "data"))
        self.enter(["user"])

    def enter(self, owners: Sequence[str]) -> None:
        """A user for each owner."""
        self._users = list(owners)

    def reset(self) -> None:
        """Destroy what the last case left, with its key: to close the store takes half a second."""
        self._memory.destroy_namespace()
        self.enter(["user"])

    def shut(self) -> None:
        self._memory.close()

    def add(self, texts: Sequence[str]) -> None:
        for user in self._users:
            for text in texts:
                self._remember(text, user, uuid4().hex)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._memory.search(query, user_id=self._users[0]).items[:k]
        return [Hit(each.id, each.content, each.score) for each in found]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._remember(text, self._users[0], *self._memory.get(id)["entity_keys"])

    def forget(self, query: str) -> None:
        """Delete all that its preview, `find_ids`, would show."""
        self._memory.forget(query, user_id=self._users[0])

    def delete(self, id: str | int) -> None:
        self._memory.delete(id, hard=True)

    def compact(self) -> None:
        self._memory.compact(force=True)

    def _remember(self, text: str, user: str, *keys: str) -> None:
        self._memory.remember(text, user_id=user, entity_keys=list(keys))
