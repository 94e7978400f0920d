"""Memorant: claims with their source and a tier of trust in one SQLite file, found by words."""

import gc
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend


class MemorantBackend(FolderBackend):
    """One file per case. `correct_claim` and `invalidate_claim` end a claim's validity; nothing erases one."""

    def __init__(self) -> None:
        from memorant import MemorantStore, core

        # Equal scores are ordered by id, so that random ids would make each run another.
        core.uuid = SimpleNamespace(uuid4=lambda: f"{time.time_ns():020}")
        self._type: Any = MemorantStore
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._store = self._type(str(folder / "memory.db"))
        self._store.init()

    def shut(self) -> None:
        """Close its connections, one for each call, which it leaves to the collector of garbage."""
        gc.collect()

    def stored_bytes(self) -> bytes:
        self.shut()
        return super().stored_bytes()

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._store.add_claim(text, source_pointer="manual", trust_tier="operator")

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(claim.id, claim.content, claim.score) for claim in self._store.search(query, limit=k)]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._store.correct_claim(id, text)

    def delete(self, id: str | int) -> None:
        self._store.invalidate_claim(id)
