"""neuragram (Engram): memories in SQLite, found by words; a memory is released softly or deleted."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend

_USER = "user"


class NeuragramBackend(FolderBackend):
    """One file per case, a user for each owner. `update` keeps versions, `forget` is soft or hard."""

    def __init__(self) -> None:
        from engram import AgentMemory

        self._type: Any = AgentMemory
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory = self._type(db_path=str(folder / "memory.db"))
        self._users = [_USER]

    def shut(self) -> None:
        self._memory.close()

    def enter(self, owners: Sequence[str]) -> None:
        self._users = list(owners)

    def add(self, texts: Sequence[str]) -> None:
        for user in self._users:
            for text in texts:
                self._memory.remember(text, user_id=user)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._memory.recall(query, user_id=self._users[0], top_k=k)
        return [Hit(each.memory.id, each.memory.content, each.score) for each in found]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._memory.update(id, content=text)

    def release_ids(self, ids: Sequence[str | int]) -> None:
        for id in ids:
            self._memory.forget(memory_id=id)

    def delete(self, id: str | int) -> None:
        self._memory.forget(memory_id=id, hard=True)

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {"list": str(self._memory.list(user_id=self._users[0])), "history": str(self._memory.history(id))}
