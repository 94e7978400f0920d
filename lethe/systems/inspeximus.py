"""Inspeximus: memories with keys in one SQLite file; a write under a key retires the value it had, without a model."""

from collections.abc import Sequence
from typing import Any

from lethe.embedding.embedder import Embedder
from lethe.systems.case_folders import CaseFolders
from lethe.systems.protocol import Hit

PRELOADED = ("inspeximus",)


class InspeximusBackend:
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
        self._open()

    def reset(self) -> None:
        self._open()

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._remember(text, None if self._extractor else f"memory {len(self._keys)}")

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

    def close(self) -> None:
        self._store.flush()
        self._folders.remove()

    def stored_bytes(self) -> bytes:
        """Every file of the store: memories, events, and the tombstones of what was erased."""
        self._store.flush()
        return b"\n".join(path.read_bytes() for path in sorted(self._folders.current.rglob("*")) if path.is_file())

    def _open(self) -> None:
        file = self._folders.next() / "memories.sqlite3"
        self._store = self._create(str(file), embed=lambda text: self._embedder.embed([text])[0].tolist())
        self._store.extractor = self._extractor
        self._keys: dict[str | int, str | None] = {}

    def _remember(self, text: str, key: str | None, **options: Any) -> None:
        self._keys[self._store.remember(text, key=key, **options)] = key
