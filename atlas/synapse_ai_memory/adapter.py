"""Synapse: memories in an append-only log, with indexes of words and concepts in the process."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend

_USER = "user"


class SynapseBackend(FolderBackend):
    """A vault, which is a log, for each owner. `forget` removes a memory from all indexes and notes it in the log."""

    def __init__(self) -> None:
        from vault_manager import VaultManager

        self._type: Any = VaultManager
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._manager = self._type(str(folder / "vaults"))
        self.enter([_USER])

    def enter(self, owners: Sequence[str]) -> None:
        self._vaults = [self._manager.get_user_vault(owner) for owner in owners]

    def shut(self) -> None:
        self._manager.close()

    def add(self, texts: Sequence[str]) -> None:
        for vault in self._vaults:
            for text in texts:
                vault.remember(text)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._vaults[0].recall(query, limit=k)
        return [Hit(each.id, each.content, 1 / place) for place, each in enumerate(found, 1)]

    def delete(self, id: str | int) -> None:
        self._vaults[0].forget(id)

    def compact(self) -> None:
        self._vaults[0].snapshot()
