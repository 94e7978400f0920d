"""Agno: the entity memory of its learning machine, in SQLite; it finds whatever holds a telling word of the message."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from time import time_ns
from types import SimpleNamespace
from typing import Any

from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend

_TYPE, _EVERY = "memory", 1_000_000


class AgnoBackend(FolderBackend):
    """One database per case, a user for each owner; each fact is told about an entity of its own.

    A fact is retired and another told in its place; `forget` archives an entity, `delete` takes it out of the database.
    """

    def __init__(self) -> None:
        from agno.db.sqlite import SqliteDb, sqlite
        from agno.learn.config import EntityMemoryConfig
        from agno.learn.stores.entity_memory import EntityMemoryStore

        self._database, self._config, self._type = SqliteDb, EntityMemoryConfig, EntityMemoryStore
        sqlite.time = SimpleNamespace(time=time_ns)
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._db: Any = self._database(db_file=str(folder / "memory.db"))
        self._store: Any = self._type(self._config(db=self._db, namespace="user"))
        self.enter(["user"])
        told = self._store.list_entities(user_id=self._users[0], limit=_EVERY, include_archived=True)
        self._numbers = count(1 + max((int(entity.entity_id[1:]) for entity in told), default=0))

    def enter(self, owners: Sequence[str]) -> None:
        self._users = list(owners)

    def shut(self) -> None:
        self._db.close()

    def add(self, texts: Sequence[str]) -> None:
        for user in self._users:
            for text in texts:
                self._tell(user, f"m{next(self._numbers)}", text)

    def search(self, query: str, k: int) -> list[Hit]:
        """What an agent is given with a message; the place in it stands for a score."""
        self._store.config.max_entities_in_context = k
        found = self._store.recall(message=query, user_id=self._users[0])["entities"]
        facts = [(entity.entity_id, fact["content"]) for entity in found for fact in entity.live_facts()]
        return [Hit(id, text, -place) for place, (id, text) in enumerate(facts)]

    def supersede_id(self, id: str | int, text: str) -> None:
        user = self._users[0]
        for fact in self._store.get(id, _TYPE, user_id=user).live_facts():
            self._store.forget(id, fact=fact["content"], user_id=user)
        self._tell(user, id, text)

    def release_ids(self, ids: Sequence[str | int]) -> None:
        for id in ids:
            self._store.forget(id, user_id=self._users[0])

    def delete(self, id: str | int) -> None:
        self._store.delete(id, _TYPE, user_id=self._users[0])

    def _tell(self, user: str, entity: str | int, text: str) -> None:
        self._store.remember_about(entity, _TYPE, facts=[text], user_id=user)
