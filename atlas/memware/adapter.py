"""memware: a ledger of beliefs in SQLite, by subject and relation, found by words."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Claim, Hit
from lethe.systems.in_folder import FolderBackend

_RELATION = "says"


class MemwareBackend(FolderBackend):
    """One file per case; each fact is the value of a subject of its own.

    A further value of a subject supersedes the last; a belief is retracted, or its text redacted and the file scrubbed.
    """

    def __init__(self) -> None:
        from memware import index, ledger, store

        self._index: Any = index
        self._ledger: Any = ledger
        self._type: Any = store.Store
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._store = self._type(folder / "memory.db")

    def shut(self) -> None:
        self._store.close()

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._assert(f"m{self._store.stats()['beliefs_total'] + 1}", text)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._index.search_beliefs(self._store, query, k=k)
        return [Hit(each.subject, each.text.removeprefix(f"{each.subject} {_RELATION} "), each.score) for each in found]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._assert(id, text)

    def release_ids(self, ids: Sequence[str | int]) -> None:
        beliefs = {belief["id"]: "released" for id in ids for belief in self._ledger.current(self._store, id)}
        self._ledger.retract(self._store, reason="released", apply=True, beliefs=beliefs)

    def delete(self, id: str | int) -> None:
        """What its prune does with a text."""
        for belief in self._ledger.history(self._store, id, _RELATION):
            self._ledger.redact(self._store, belief["value"], apply=True)
        self.compact()

    def compact(self) -> None:
        self._scrubbed = self._store.scrub()

    def claim(self) -> Claim:
        """What it reports of rewriting its file."""
        emptied = self._scrubbed.wal_truncated
        return Claim(emptied, "files", f"scrubbed: search indexes merged, compacted, log emptied={emptied}")

    def _assert(self, subject: str | int, text: str) -> None:
        self._ledger.assert_belief(self._store, subject, _RELATION, text)
