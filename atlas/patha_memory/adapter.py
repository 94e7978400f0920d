"""Patha: beliefs in an event log, found by views of vectors and by words; superseded ones stay as history."""

import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend


class PathaBackend(FolderBackend):
    """One log per case, a session for each belief.

    It decides itself which belief a new one supersedes; `supersede` and `archive` take ids, and nothing is deleted.
    """

    def __init__(self, embedder: Embedder) -> None:
        models = _Models(embedder)
        library: Any = ModuleType("sentence_transformers")
        library.SentenceTransformer = library.CrossEncoder = lambda name, **options: models
        sys.modules["sentence_transformers"] = library
        from patha import Memory

        self._type: Any = Memory
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory = self._type(path=folder / "beliefs.jsonl")
        self._sessions = count(len(self._memory.store))

    def shut(self) -> None:
        """Its log is closed after each event."""

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._tell(text)

    def search(self, query: str, k: int) -> list[Hit]:
        """It gives no scores; the place in the ranking stands for one."""
        found = self._memory.recall(query).current[:k]
        return [Hit(each["id"], each["proposition"], 1 / place) for place, each in enumerate(found, 1)]

    def supersede_id(self, id: str | int, text: str) -> None:
        told = self._tell(text)
        if told != id:
            self._memory.store.supersede(id, told)

    def release_ids(self, ids: Sequence[str | int]) -> None:
        for id in ids:
            self._memory.store.archive(id)

    def _tell(self, text: str) -> Any:
        session = f"session {next(self._sessions)}"
        return self._memory.remember(text, session_id=session, source_id=session)["belief_id"]


class _Models:
    """The benchmark's embedder with the interfaces of a model and of a cross-encoder; a text is embedded once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Any] = {}

    def get_embedding_dimension(self) -> int:
        return self._embedder.dim

    def encode(self, texts: Sequence[str], **options: Any) -> Any:
        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        return numpy.stack([self._known[text] for text in texts])

    def predict(self, pairs: Sequence[tuple[str, str]], **options: Any) -> Any:
        first, second = (self.encode(texts) for texts in zip(*pairs, strict=True))
        return (first * second).sum(axis=1)
