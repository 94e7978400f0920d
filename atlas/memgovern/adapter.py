"""memgovern: texts by key in SQLite, with tombstones, an audit log, and half-lives that rank them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from forgeteval.stores.contract import Claim, Hit
from lethe.systems.in_folder import FolderBackend

_MANY = 1_000_000


class MemgovernBackend(FolderBackend):
    """One file per case; each fact has a key of its own. `delete` leaves a tombstone, `purge` takes it away."""

    def __init__(self) -> None:
        from memgovern import MemoryStore

        self._type: Any = MemoryStore
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory = self._type(str(folder / "memory.db"), burst_limit=_MANY)

    def shut(self) -> None:
        self._memory.close()

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._memory.write(uuid4().hex, text)

    def search(self, query: str, k: int) -> list[Hit]:
        """Its scores are of age alone; the place in the ranking stands for one."""
        return [Hit(each.key, each.text, -place) for place, each in enumerate(self._memory.query(query, limit=k))]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._memory.write(id, text)

    def release_ids(self, ids: Sequence[str | int]) -> None:
        for id in ids:
            self._memory.delete(id)

    def delete(self, id: str | int) -> None:
        """A tombstone, and the purge of all of them."""
        self._memory.delete(id)
        self._purged = self._memory.purge()

    def claim(self) -> Claim:
        """How many rows its purge says that it has deleted."""
        return Claim(self._purged > 0, "reads", f"{self._purged} hard-deleted")

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {"get": str(self._memory.read(id)), "history": str(self._memory.audit(key=id))}

    def past(self, query: str, k: int) -> list[str]:
        """With every tombstone restored that there is."""
        for event in self._memory.audit(action="tombstone", limit=_MANY):
            self._memory.restore(event.key)
        return [hit.text for hit in self.search(query, k)]
