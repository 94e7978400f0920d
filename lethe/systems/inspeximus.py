"""Inspeximus: memories with keys in one SQLite file; a write under a key retires the value it had, without a model."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Backend, Hit
from lethe.systems.case_folders import CaseFolders

PRELOADED = ("inspeximus",)


class InspeximusBackend(Backend):
    """One store file per case, searched in the package's own mode: words alone below 300 memories, then vectors too.

    Args:
        derived_keys: the package derives a key from each text by its own patterns, so that it finds itself what a text
            corrects; else every memory has a key of its own, by which it can be superseded and released.
    """

    def __init__(self, embedder: Embedder, derived_keys: bool = False) -> None:
        import inspeximus

        self._create: Any = inspeximus.Inspeximus
        self._extractor = inspeximus.regex_extractor if derived_keys else None
        self._embedder = embedder
        self._folders = CaseFolders("inspeximus")
        self._keys: dict[str | int, str | None] = {}
        self._open()

    def reset(self) -> None:
        self._open()

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._remember(text, None if self._extractor else f"memory {self._next_key}")
            self._next_key += 1

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(found["id"], found["text"], found["score"]) for found in self._store.recall(query, k=k)]

    def delete(self, id: str | int) -> None:
        self._store.forget(id)

    def supersede_id(self, id: str | int, text: str) -> None:
        """Write `text` under the key of this memory; a value that the key had before may return."""
        self._remember(text, self._keys[id], reaffirm=True)

    def release_ids(self, ids: Sequence[str | int]) -> None:
        """End the keys of these memories, which stay as history."""
        for id in ids:
            self._store.retire(self._keys[id], "released")

    def open(self, folder: Path) -> None:
        """Vectors are written too: by default they end with the process, and older memories then rank below others."""
        self._store.flush()
        self._open_in(folder, persist_vectors=True)
        self._keys.update((item["id"], item.get("key")) for item in self._store.items)
        numbers = [int(key.rpartition(" ")[2]) for key in self._keys.values() if key]
        self._next_key = max(numbers, default=-1) + 1

    def shut(self) -> None:
        self._store.flush()

    def compact(self) -> None:
        """Its `vacuum`; raises RuntimeError where that says that it did nothing."""
        done = self._store.vacuum()
        if not done["vacuumed"]:
            raise RuntimeError(f"vacuum: {done['reason']}")

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {
            "get": str(self._store.provenance(id=id)),
            "list": str(list(self._store.items)),
            "history": str(self._store.history(self._keys[id])),
            "export": str(self._store.export_changeset()),
        }

    def close(self) -> None:
        self._store.flush()
        self._folders.remove()

    def stored_bytes(self) -> bytes:
        """Every file of the store: memories, events, and the tombstones of what was erased."""
        self._store.flush()
        return b"\n".join(path.read_bytes() for path in sorted(self._folders.current.rglob("*")) if path.is_file())

    def _open(self) -> None:
        self._open_in(self._folders.next())

    def _open_in(self, folder: Path, **options: Any) -> None:
        file = folder / "memories.sqlite3"
        self._store = self._create(str(file), embed=lambda text: self._embedder.embed([text])[0].tolist(), **options)
        self._store.extractor = self._extractor
        self._keys.clear()
        self._next_key = 0

    def _remember(self, text: str, key: str | None, **options: Any) -> None:
        self._keys[self._store.remember(text, key=key, **options)] = key
