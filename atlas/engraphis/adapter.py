"""Engraphis: memories of a workspace in SQLite, with hashed vectors of its own and a full-text index."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Claim, Hit
from lethe.systems.in_folder import FolderBackend


class EngraphisBackend(FolderBackend):
    """One database per case, and a workspace for each owner.

    `correct` leaves the old text as history, `retire` ends a memory, `secure_erase` erases it and rewrites the file.
    """

    def __init__(self) -> None:
        from engraphis.service import MemoryService

        self._type: Any = MemoryService
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._service = self._type.create(str(folder / "memory.db"))
        self.enter(["user"])

    def enter(self, owners: Sequence[str]) -> None:
        """A workspace for each owner."""
        self._workspaces = list(owners)

    def shut(self) -> None:
        self._service.close()

    def add(self, texts: Sequence[str]) -> None:
        for workspace in self._workspaces:
            for text in texts:
                self._service.remember(text, workspace=workspace)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._service.recall(query, workspace=self._workspaces[0], k=k)
        return [Hit(each["id"], each["content"], each["score"]) for each in found["memories"]]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._service.correct(id, text, workspace=self._workspaces[0])

    def release_ids(self, ids: Sequence[str | int]) -> None:
        for id in ids:
            self._service.retire(id, workspace=self._workspaces[0])

    def delete(self, id: str | int) -> None:
        self._erased = self._service.secure_erase(id, workspace=self._workspaces[0], confirmed=True)

    def claim(self) -> Claim:
        """What the last erasure reported."""
        status = self._erased["status"]
        return Claim(status == "securely_erased", "files", f"{status}; maintenance {self._erased['maintenance']}")
