"""Severian: observations and the memories derived from them in SQLite, found by words and by hashed vectors."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from time import time_ns
from typing import Any

from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend


class SeverianBackend(FolderBackend):
    """Three files per case, and a profile for each owner. Erasure leaves a tombstone of an observation."""

    def __init__(self) -> None:
        from severian.composition import build_bundle
        from severian.domain import models

        ids = count(time_ns())
        # What was told is derived in the order of the ids; those of a process that comes later are greater.
        models.uuid4 = lambda: f"{next(ids):032x}"
        self._build: Any = build_bundle
        self._scope: Any = models.Scope
        super().__init__()

    def begin(self, folder: Path) -> None:
        files = {name: folder / f"{name}.db" for name in ("database", "fts", "vectors")}
        self._bundle = self._build(backend="sqlite", **files)
        self.enter(["user"])

    def enter(self, owners: Sequence[str]) -> None:
        """A profile for each owner."""
        rest = {"tenant_id": "tenant", "collection_id": "main", "agent_id": "agent", "session_id": "session"}
        self._scopes = [self._scope(profile_id=owner, **rest) for owner in owners]

    def shut(self) -> None:
        self._bundle.close()

    def add(self, texts: Sequence[str]) -> None:
        for scope in self._scopes:
            for text in texts:
                self._bundle.service.ingest_observation(scope, content=text)

    def search(self, query: str, k: int) -> list[Hit]:
        """What is found once all that was told is derived, which a worker does otherwise."""
        service, gateway = self._bundle.service, self._bundle.gateway
        found = service.search(self._scopes[0], query=query, limit=k, derive=True, gateway=gateway)
        return [Hit(each.source_observation_ids[0], each.content, 1 / place) for place, each in enumerate(found, 1)]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._bundle.service.revise_observation(self._scopes[0], id, text)

    def delete(self, id: str | int) -> None:
        self._bundle.service.erase_observation(self._scopes[0], id)
