"""Recall (typed-recall): sentences as nodes of a graph in SQLite, found by the words and letters that they share."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend


class TypedRecallBackend(FolderBackend):
    """One database per case, a scope for each owner. `forget` deprecates a node with its edges."""

    def __init__(self) -> None:
        from recall import Memory

        self._type: Any = Memory
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory = self._type(tenant="tenant", storage=str(folder / "memory.db"))
        self._scopes: list[dict[str, str]] = [{}]

    def enter(self, owners: Sequence[str]) -> None:
        self._scopes = [{"owner": owner} for owner in owners]

    def shut(self) -> None:
        self._memory.close()

    def add(self, texts: Sequence[str]) -> None:
        for scope in self._scopes:
            for text in texts:
                self._memory.observe(text, scope=scope)

    def search(self, query: str, k: int) -> list[Hit]:
        """It gives no scores; the place in the ranking stands for one."""
        found = self._memory.recall(query, scope=self._scopes[0], k=k).subgraph_nodes
        return [Hit(node.id, node.text, -place) for place, node in enumerate(found[:k])]

    def delete(self, id: str | int) -> None:
        self._memory.forget(id)
