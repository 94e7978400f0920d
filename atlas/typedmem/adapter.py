"""TypedMem: states by key in SQLite, whose values have a valid time; vectors are of hashed words."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend

_WORKSPACE = "default"


class TypedmemBackend(FolderBackend):
    """One file per case, a workspace for each owner; each fact is the value of a key of its own.

    `set` supersedes the value of a key, `forget` deletes a record.
    """

    def __init__(self) -> None:
        from typedmem import AgentMemory

        self._type: Any = AgentMemory
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._workspaces: dict[str, Any] = {}
        self.enter([_WORKSPACE])

    def shut(self) -> None:
        for memory in self._workspaces.values():
            memory.close()

    def enter(self, owners: Sequence[str]) -> None:
        for owner in owners:
            if owner not in self._workspaces:
                self._workspaces[owner] = self._type(path=self.folder / "memory.db", workspace=owner)
        self._entered = [self._workspaces[owner] for owner in owners]

    def add(self, texts: Sequence[str]) -> None:
        for memory in self._entered:
            for text in texts:
                memory.set(f"memory.{uuid4().hex}", text)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._entered[0].recall(query, limit=k)
        return [Hit(each.memory.subject, each.memory.content, each.score) for each in found]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._entered[0].set(id, text)

    def delete(self, id: str | int) -> None:
        """Every value that the key has had: when its last one is forgotten, the one before is current again."""
        for value in self._entered[0].history(id):
            self._entered[0].forget(value.memory_id)

    def reads(self, id: str | int) -> Mapping[str, str]:
        memory = self._entered[0]
        return {
            "get": str(memory.get(id)),
            "list": str(memory.store.all(include_superseded=True)),
            "history": str(memory.history(id)),
            "export": str(memory.store.timeline()),
        }
