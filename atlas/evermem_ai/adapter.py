"""evermem: claims with trust and an interval of validity in SQLite, found by vectors of hashed words."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend

_USER, _SAYS = "default", "says"


class EvermemBackend(FolderBackend):
    """One file per case, a user for each owner; each fact is a claim of a subject of its own.

    `correct` supersedes a claim, `forget` ends it. A single claim has no erasure; `purge` erases a user.
    """

    def __init__(self) -> None:
        from evermem import EverMem

        self._type: Any = EverMem
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory: Any = self._type(folder / "memory.db")
        self._users = [_USER]

    def shut(self) -> None:
        if self._memory is not None:
            self._memory.close()
        self._memory = None

    def enter(self, owners: Sequence[str]) -> None:
        self._users = list(owners)

    def add(self, texts: Sequence[str]) -> None:
        for user in self._users:
            for text in texts:
                subject = f"memory {self._memory.stats()['claims_total']}"
                self._memory.remember(subject, _SAYS, text, user_id=user)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._memory.recall(query, claims_limit=k, user_id=self._users[0]).claims
        return [Hit(each.claim.subject, each.claim.value, each.score) for each in found]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._memory.correct(id, _SAYS, text, user_id=self._users[0])

    def delete(self, id: str | int) -> None:
        self._memory.forget(id, _SAYS, user_id=self._users[0])

    def reads(self, id: str | int) -> Mapping[str, str]:
        user = self._users[0]
        return {
            "list": str(self._memory.profile(user_id=user)),
            "history": str(self._memory.history(id, _SAYS, user_id=user)),
        }
