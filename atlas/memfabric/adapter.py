"""MemFabric: facts with a valid time in SQLite, found by words, vectors and age, whose ranks are joined."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend

_USER, _SAYS = "default", "says"


class MemfabricBackend(FolderBackend):
    """One file per case, a user for each owner; each fact is what a subject of its own says.

    A fact of the same subject supersedes it, `forget` deletes it.
    """

    def __init__(self, embedder: Embedder) -> None:
        from memfabric import MemoryFabric, Scope

        self._type, self._scope = MemoryFabric, Scope.USER
        self._embed = lambda texts: embedder.embed(list(texts)).tolist()
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._fabric: Any = self._type(db_path=str(folder / "memory.db"), llm=None, embedder=self._embed)
        self._users = [_USER]

    def shut(self) -> None:
        self._fabric.store.close()

    def enter(self, owners: Sequence[str]) -> None:
        self._users = list(owners)

    def add(self, texts: Sequence[str]) -> None:
        for user in self._users:
            for text in texts:
                self._say(uuid4().hex, text, user)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._fabric.recall(query, scopes=[(self._scope, self._users[0])], limit=k)
        return [Hit(each.record.id, each.record.text, each.score) for each in found]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._say(self._fabric.store.get(id).subject, text, self._users[0])

    def delete(self, id: str | int) -> None:
        self._fabric.forget(id)

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {"get": str(self._fabric.store.get(id))}

    def _say(self, subject: str, text: str, user: str) -> None:
        said = {"subject": subject, "predicate": _SAYS, "object": text}
        self._fabric.remember(text, scope=self._scope, scope_id=user, **said)
