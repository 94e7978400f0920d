"""Provem: a layer that governs the memories of a backend, here its own in SQLite; what is forgotten is a term."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Claim, Hit
from lethe.systems.in_folder import FolderBackend

_NO_ANSWER = ("low_relevance", "source_conflict")
"""Why it gives no answer though memories are there."""


class ProvemBackend(FolderBackend):
    """One file per case, a tenant for each owner. `forget` deletes what has every word of a term, and blocks it."""

    def __init__(self) -> None:
        from cognitive_memory.adapters.sqlite_backend import SqliteBackend
        from cognitive_memory.reliability import GovernedMemory, Scope

        self._store, self._governed, self._scope = SqliteBackend, GovernedMemory, Scope
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._backend: Any = self._store(str(folder / "memory.db"))
        self._memory: Any = self._governed(self._backend)
        self.enter(["tenant"])

    def enter(self, owners: Sequence[str]) -> None:
        self._tenants = list(owners)

    def shut(self) -> None:
        self._backend.close()

    def add(self, texts: Sequence[str]) -> None:
        for tenant in self._tenants:
            for text in texts:
                self._memory.remember(text, object=text, tenant=tenant)

    def search(self, query: str, k: int) -> list[Hit]:
        """What its backend ranks, without what the recall that it governs excludes."""
        (tenant, *_) = self._tenants
        excluded = self._memory.recall_value(query, tenant=tenant).excluded
        blocked = {id for id, reason in excluded if reason not in _NO_ANSWER}
        found = self._backend.candidates(query, tenant)
        return [Hit(each.id, each.text, score) for score, each in found if each.id not in blocked][:k]

    def delete(self, id: str | int) -> None:
        """The text of the memory is the term; it may have taken others with it."""
        for text in [each.text for each in self._backend.all_records() if each.id == id]:
            self._memory.forget(text, self._scope(self._tenants[0]))

    def claim(self) -> Claim:
        """Its certificate of the last erasure."""
        last = [entry for entry in self._memory.export_audit()["entries"] if entry["action"] == "erasure"][-1]
        asked, done = (last["details"][key] for key in ("targeted_count", "backend_confirmed_deletes"))
        return Claim(asked == done > 0, "reads", f"targeted_count: {asked}, backend_confirmed_deletes: {done}")
