"""MarkMem: pages of Markdown in a Git repository, made of what users say, beside a SQLite index of words."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend


class MarkMemBackend(FolderBackend):
    """One repository per case, and a user for each owner. `delete` archives a page, `delete(hard=True)` removes it."""

    def __init__(self) -> None:
        from markmem import Memory

        self._type: Any = Memory
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory = self._type(repo_path=folder / "memory", start_worker=False, force_heuristic=True)
        self.enter(["user"])

    def enter(self, owners: Sequence[str]) -> None:
        """A user for each owner."""
        self._users = list(owners)

    def shut(self) -> None:
        self._memory.close()

    def add(self, texts: Sequence[str]) -> None:
        for user in self._users:
            for text in texts:
                self._memory.add(text, user_id=user)
        self._memory.flush()

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._memory.search(query, user_id=self._users[0], top_k=k)
        return [Hit(each["id"], each["memory"], 1 / place) for place, each in enumerate(found, 1)]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._memory.update(id, text)

    def release_ids(self, ids: Sequence[str | int]) -> None:
        for id in ids:
            self._memory.delete(id)

    def delete(self, id: str | int) -> None:
        self._memory.delete(id, hard=True)

    def compact(self) -> None:
        self._memory.maintenance()
