"""memvara: claims of subject, attribute and value in SQLite, with vectors of its own; closed ones stay as history."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Claim, Hit
from lethe.systems.in_folder import FolderBackend

_USER, _ATTRIBUTE = "user", "says"


class MemvaraBackend(FolderBackend):
    """One database per case, a scope for each owner.

    Each fact is the value of a subject of its own, so that none replaces another by itself.

    `delete` closes a claim, `erase` takes it out of the database with what it left in the index.
    """

    def __init__(self) -> None:
        import sys

        import pysqlite3

        sys.modules["sqlite3"] = pysqlite3
        from memvara import Claim, Memvara
        from memvara.llm import NullLLM

        self._type, self._claim, self._no_model = Memvara, Claim, NullLLM
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory: Any = self._type(str(folder / "memory.db"), user=_USER, llm=self._no_model())
        self.enter([_USER])
        taken = [int(claim.subject.rpartition(" ")[2]) for claim in self._memory.store.iter_claims()]
        self._subjects = count(max(taken, default=0) + 1)

    def enter(self, owners: Sequence[str]) -> None:
        self._scopes = [self._memory.scope(user=owner) for owner in owners]

    def shut(self) -> None:
        self._memory.close()

    def add(self, texts: Sequence[str]) -> None:
        for scope in self._scopes:
            for text in texts:
                scope.remember(self._subject(), _ATTRIBUTE, text)

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(found.claim.id, found.claim.object, found.score) for found in self._scopes[0].search(query, k=k)]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._scopes[0].supersede(id, self._claim(subject=self._subject(), predicate=_ATTRIBUTE, object=text))

    def release_ids(self, ids: Sequence[str | int]) -> None:
        for id in ids:
            self._scopes[0].delete(id)

    def delete(self, id: str | int) -> None:
        """Erased for good."""
        self._erased = id
        self._scopes[0].erase(id)

    def claim(self) -> Claim:
        """Its proof of the last erasure, by counts over its tables and a look at its file of vectors."""
        proof = self._memory.prove_erased(self._erased)
        return Claim(
            proof.proven, "files", f"proven={proof.proven}, residue={proof.residue} {proof.reason or ''}".strip()
        )

    def _subject(self) -> str:
        return f"memory {next(self._subjects)}"
