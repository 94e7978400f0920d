"""TenseMem: one current value per slot in SQLite, with a log of what was said; the engine decides what is current."""

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend

_USER, _ALL = "user", 100_000
_LONG_ENOUGH = 600.0
"""For the vectors of all that is told at once, in seconds."""


class TensememBackend(FolderBackend):
    """One file per case, a user for each owner; each fact is the value of a slot of its own.

    `set` supersedes the value of a slot, `retract` ends it. A single memory has no erasure; `forget` erases a user.
    Vectors are made by a queue, which `flush` works off.
    """

    def __init__(self, embedder: Embedder) -> None:
        from tensemem import Memory

        self._type: Any = Memory
        self._embed = SimpleNamespace(
            model="MiniLM", dim=embedder.dim, embed=lambda texts: embedder.embed(list(texts)).tolist()
        )
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._memory = self._type(path=folder / "memory.db", embedder=self._embed, start_worker=False)
        told = (len(self._memory.history(scope.key.user_id).facts) for scope in self._memory.scopes())
        self._numbers = count(sum(told))
        self._users = [_USER]

    def shut(self) -> None:
        self._memory.close()

    def enter(self, owners: Sequence[str]) -> None:
        self._users = list(owners)

    def add(self, texts: Sequence[str]) -> None:
        for user in self._users:
            for text in texts:
                slot = f"memory_{next(self._numbers)}"
                self._memory.register_predicate(slot)
                self._memory.set(user, slot, text)
        self._memory.flush(_LONG_ENOUGH)

    def search(self, query: str, k: int) -> list[Hit]:
        """The current facts of a search, which also returns closed ones and the log, marked as such."""
        values = self._memory.state(self._users[0]).values
        found = self._memory.search(self._users[0], query, limit=_ALL).hits
        current = [hit for hit in found if hit.kind == "fact" and hit.status == "ACTIVE"]
        return [Hit(hit.predicate, values[hit.predicate], hit.score) for hit in current[:k]]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._memory.set(self._users[0], id, text)
        self._memory.flush(_LONG_ENOUGH)

    def delete(self, id: str | int) -> None:
        self._memory.retract(self._users[0], id)

    def reads(self, id: str | int) -> Mapping[str, str]:
        user = self._users[0]
        return {
            "list": str(self._memory.state(user)),
            "history": str(self._memory.history(user, predicate=id)),
            "export": self._memory.export_jsonl(user),
            "graph": str(self._memory.graph(user)),
        }
