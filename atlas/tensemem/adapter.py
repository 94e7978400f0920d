"""TenseMem: one current value per slot in SQLite, with a log of what was said; the engine decides what is current."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend

_USER, _ALL = "user", 100_000


class TensememBackend(FolderBackend):
    """One file per case, a user for each owner; each fact is the value of a slot of its own.

    `set` supersedes the value of a slot, `retract` ends it. A single memory has no erasure; `forget` erases a user.
    """

    def __init__(self) -> None:
        from tensemem import Memory

        self._type: Any = Memory
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory = self._type(path=folder / "memory.db")
        self._users = [_USER]

    def shut(self) -> None:
        self._memory.close()

    def enter(self, owners: Sequence[str]) -> None:
        self._users = list(owners)

    def add(self, texts: Sequence[str]) -> None:
        for user in self._users:
            for text in texts:
                slot = f"memory_{uuid4().hex}"
                self._memory.register_predicate(slot)
                self._memory.set(user, slot, text)

    def search(self, query: str, k: int) -> list[Hit]:
        """The current facts of a search, which also returns closed ones and the log, marked as such."""
        values = self._memory.state(self._users[0]).values
        found = self._memory.search(self._users[0], query, limit=_ALL).hits
        current = [hit for hit in found if hit.kind == "fact" and hit.status == "ACTIVE"]
        return [Hit(hit.predicate, values[hit.predicate], hit.score) for hit in current[:k]]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._memory.set(self._users[0], id, text)

    def delete(self, id: str | int) -> None:
        self._memory.retract(self._users[0], id)

    def reads(self, id: str | int) -> Mapping[str, str]:
        user = self._users[0]
        return {
            "list": str(self._memory.state(user)),
            "history": str(self._memory.history(user, predicate=id)),
            "export": self._memory.export_jsonl(user),
            "graph": str(self._memory.graph(user)),
        }
