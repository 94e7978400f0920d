"""Synapse: memories in an append-only log, with indexes of words and concepts in the process."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend


class SynapseBackend(FolderBackend):
    """One log per case. `forget` removes a memory from all indexes and notes it in the log."""

    def __init__(self) -> None:
        from synapse import Synapse

        self._type: Any = Synapse
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory = self._type(str(folder / "memory"))

    def shut(self) -> None:
        self._memory.close()

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._memory.remember(text)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._memory.recall(query, limit=k)
        return [Hit(each.id, each.content, 1 / place) for place, each in enumerate(found, 1)]

    def delete(self, id: str | int) -> None:
        self._memory.forget(id)

    def compact(self) -> None:
        self._memory.snapshot()
