"""memvara: claims of subject, attribute and value in SQLite, with vectors of its own; closed ones stay as history."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Claim, Hit
from lethe.systems.in_folder import FolderBackend

_USER, _ATTRIBUTE = "user", "says"


class MemvaraBackend(FolderBackend):
    """One database per case; each fact is the value of a subject of its own, so that none replaces another by itself.

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
        self._subjects = count(1)

    def shut(self) -> None:
        self._memory.close()

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._memory.remember(self._subject(), _ATTRIBUTE, text)

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(found.claim.id, found.claim.object, found.score) for found in self._memory.search(query, k=k)]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._memory.supersede(id, self._claim(subject=self._subject(), predicate=_ATTRIBUTE, object=text))

    def release_ids(self, ids: Sequence[str | int]) -> None:
        for id in ids:
            self._memory.delete(id)

    def delete(self, id: str | int) -> None:
        """Erased for good."""
        self._erased = id
        self._memory.erase(id)

    def claim(self) -> Claim:
        """Its proof of the last erasure, by counts over its tables and a look at its file of vectors."""
        proof = self._memory.prove_erased(self._erased)
        return Claim(
            proof.proven, "files", f"proven={proof.proven}, residue={proof.residue} {proof.reason or ''}".strip()
        )

    def _subject(self) -> str:
        return f"memory {next(self._subjects)}"
