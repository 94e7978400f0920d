"""Mnemosyne: memories of a session in SQLite, found by words; some expire or are superseded, others are forgotten."""

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from time import time_ns
from typing import Any

from forgeteval.stores.contract import Hit
from lethe.systems.case_folders import CaseFolders
from lethe.systems.in_folder import FolderBackend


class MnemosyneBackend(FolderBackend):
    """One database per case, a session for each owner.

    `invalidate` lets a memory expire, or names the one that superseded it; `forget` deletes it.
    """

    def __init__(self) -> None:
        from mnemosyne.core import beam, memory

        self._type: Any = memory.Mnemosyne
        self._connected = [vars(module._thread_local) for module in (memory, beam)]
        ids = count(time_ns())
        # It breaks ties by them; those of a process that comes later are greater.
        beam._generate_id = lambda content: f"{next(ids):016x}"
        self._folders = CaseFolders("store", self._prepare)
        self._enter(self._folders.next())

    def begin(self, folder: Path) -> None:
        self._sessions: dict[str, Any] = {}
        self.enter(["user"])

    def enter(self, owners: Sequence[str]) -> None:
        for owner in owners:
            if owner not in self._sessions:
                self._sessions[owner] = self._type(session_id=owner, db_path=self.folder / "mnemosyne.db")
        self._entered = [self._sessions[owner] for owner in owners]

    def shut(self) -> None:
        """It has no close, and keeps the connections of a thread."""
        self._sessions, self._entered = {}, []
        for kept in self._connected:
            if kept.get("conn"):
                kept.pop("conn").close()

    def add(self, texts: Sequence[str]) -> None:
        for memory in self._entered:
            for text in texts:
                memory.remember(text)

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(each["id"], each["content"], each["score"]) for each in self._entered[0].recall(query, top_k=k)]

    def supersede_id(self, id: str | int, text: str) -> None:
        memory = self._entered[0]
        memory.invalidate(id, replacement_id=memory.remember(text))

    def release_ids(self, ids: Sequence[str | int]) -> None:
        for id in ids:
            self._entered[0].invalidate(id)

    def delete(self, id: str | int) -> None:
        self._entered[0].forget(id)

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {"get": str(self._entered[0].get(id)), "list": str(self._entered[0].get_context(limit=1000))}

    def _prepare(self, folder: Path) -> None:
        """An empty database takes a third of a second."""
        folder.mkdir()
        self._enter(folder)
        self.shut()
