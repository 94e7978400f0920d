"""attestari: a log of events in SQLite, in which what a subject told is sealed under a key of the subject's own."""

import base64
import os
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Claim, Hit
from lethe.systems.in_folder import FolderBackend

_ROOT_KEY = base64.b64encode(bytes(range(32))).decode()
"""Its users keep theirs outside the store, in the environment."""


class AttestariBackend(FolderBackend):
    """One log per case, and a subject for each fact, since nothing smaller can be forgotten.

    A further text of a subject supersedes its fact; `forget` destroys the subject's key.
    """

    def __init__(self) -> None:
        os.environ["ATTESTARI_KEK"] = _ROOT_KEY
        from attestari import Memory
        from attestari.extract import ExtractedFact

        self._type: Any = Memory
        self._fact: Any = ExtractedFact
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory = self._type.local(str(folder / "memory.db"), extractor=self)
        self._subjects = count(len(self._memory.store) + 1)

    def shut(self) -> None:
        self._memory.store.close()

    def extract(self, text: str, scope: Any) -> list[Any]:
        """The fact that a text tells: the whole of it, as the one value of its subject."""
        return [self._fact(scope.subject_id, "says", text)]

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._memory.add(text, subject_id=f"u{next(self._subjects)}")

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._memory.search(query, limit=k)
        return [Hit(each.edge.subject_id, each.edge.object, each.score) for each in found]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._memory.add(text, subject_id=id)

    def delete(self, id: str | int) -> None:
        self._certificate = self._memory.forget(id)

    def claim(self) -> Claim:
        """The certificate of the last deletion."""
        said = self._certificate
        erased = f"{said.facts_deleted} facts, {said.episodes_deleted} episodes deleted"
        return Claim(said.facts_deleted > 0, "files", f"certificate signed by {said.algorithm}: {erased}")
