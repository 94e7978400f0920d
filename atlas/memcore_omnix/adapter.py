"""MemCore: claims in SQLite with a full-text index; a rejected one leaves a tombstone that refuses it from then on."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend

_PROJECT, _REASON, _NOW = "default", "asked for", "2026-01-01T00:00:00Z"
_LAST = "SELECT max(substr(id, -12)) FROM (SELECT id FROM memory_version UNION ALL SELECT id FROM tombstone)"


class MemcoreBackend(FolderBackend):
    """One database per case, a project for each owner.

    `supersede` keeps versions, `deactivate` is its soft deletion, `reject` leaves a tombstone. What a tombstone refuses
    is not kept; what contradicts a live claim is, and is recalled as such. Both raise, and the case goes on. What it
    finds equally fit is ordered by an age in whole seconds, and then by ids or their hashes: here all happens in one
    second, and ids are counted in each store, from the last one in it.
    """

    def __init__(self, embedder: Embedder) -> None:
        library: Any = ModuleType("fastembed")
        embed = SimpleNamespace(embed=lambda texts: embedder.embed(list(texts)).tolist())
        library.TextEmbedding = lambda model_name: embed
        sys.modules["fastembed"] = library
        from memcore import core
        from memcore.client import MemCore

        self._type, self._refused, self._deactivate = MemCore, core.MemCoreError, core.deactivate
        core._now = core._eval_now_iso = lambda: _NOW
        core._new_id = lambda prefix: f"{prefix}-{next(self._ids):012x}"
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._projects: dict[str, Any] = {}
        self.enter([_PROJECT])
        (last,) = self._entered[0].conn.execute(_LAST).fetchone()
        self._ids = count(int(last or "0", 16) + 1)

    def shut(self) -> None:
        for project in self._projects.values():
            project.close()

    def enter(self, owners: Sequence[str]) -> None:
        for owner in owners:
            if owner not in self._projects:
                self._projects[owner] = self._type(db_path=str(self.folder / "memory.db"), project=owner)
        self._entered = [self._projects[owner] for owner in owners]

    def add(self, texts: Sequence[str]) -> None:
        for project in self._entered:
            for text in texts:
                with suppress(self._refused):
                    project.remember(text)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._entered[0].search(query, limit=k)
        return [Hit(each["id"], each["content"], -place) for place, each in enumerate(found)]

    def supersede_id(self, id: str | int, text: str) -> None:
        with suppress(self._refused):
            self._entered[0].supersede(id, text, reason=_REASON)

    def release_ids(self, ids: Sequence[str | int]) -> None:
        for id in ids:
            self._deactivate(self._entered[0].conn, id, self._entered[0].agent)

    def delete(self, id: str | int) -> None:
        self._entered[0].reject(id, _REASON)

    def reads(self, id: str | int) -> Mapping[str, str]:
        read = self._entered[0].get
        return {"get": str(read(id)), "history": str(read(id, include_history=True))}
