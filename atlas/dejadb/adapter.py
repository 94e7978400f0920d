"""DejaDB: immutable grains in one file with a log, found by words and by vectors, which are handed in."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Claim, Hit
from lethe.systems.in_folder import FolderBackend

_RELATION = "says"


class DejaBackend(FolderBackend):
    """One file per case, and a namespace for each owner; each fact is the value of a subject of its own.

    `supersede` puts a grain after another, `forget` leaves a tombstone, `forget_subject` erases all of a subject.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._type, self._embedder = self.engine(), embedder
        super().__init__()

    def engine(self) -> Any:
        """The class that opens a file."""
        from dejadb import DejaDB

        return DejaDB

    def begin(self, folder: Path) -> None:
        self._file = self._type(str(folder / "memory.db"), ns="user", telemetry="off")
        self._embeds = False
        self.enter(["user"])

    @property
    def _memory(self) -> Any:
        """The file. As soon as it has an embedder it asks for a vector, which must not be before a case is begun."""
        if not self._embeds:
            self._file.set_embedder(lambda text: self._embedder.embed([text])[0].tolist(), model="benchmark")
            self._embeds = True
        return self._file

    def enter(self, owners: Sequence[str]) -> None:
        self._namespaces = list(owners)

    def shut(self) -> None:
        self._file = None

    def add(self, texts: Sequence[str]) -> None:
        for namespace in self._namespaces:
            for text in texts:
                self._memory.add_fact(self._subject(), _RELATION, text, ns=namespace)

    def search(self, query: str, k: int) -> list[Hit]:
        found = json.loads(self._memory.search(query, k=k, ns=self._namespaces[0]))
        facts = [each["fields"] for each in found]
        return [Hit(fact["subject"], fact["object"], 1 / place) for place, fact in enumerate(facts, 1)]

    def supersede_id(self, id: str | int, text: str) -> None:
        fields = json.dumps({"subject": id, "relation": _RELATION, "object": text})
        self._memory.supersede(self._head(id), "fact", fields, ns=self._namespaces[0])

    def release_ids(self, ids: Sequence[str | int]) -> None:
        for id in ids:
            self._memory.forget(self._head(id))

    def delete(self, id: str | int) -> None:
        self._report = json.loads(self._memory.forget_subject(id, ns=self._namespaces[0]))

    def claim(self) -> Claim:
        """The report of the last erasure; its guarantees are logical, and not of files, by its documentation."""
        return Claim(self._report["grains_erased"] > 0, "reads", f"report: {self._report}")

    def _head(self, subject: str | int) -> Any:
        return json.loads(self._memory.latest(subject, _RELATION, ns=self._namespaces[0]))["hash"]

    def _subject(self) -> str:
        """A name that no memory had before: the store counts its writes."""
        return f"m{json.loads(self._memory.stats())['ops']}"
