"""Scopes composed in front of a backend that has none: who told a memory is kept beside the store."""

from collections.abc import Sequence

from forgeteval.stores.contract import Backend, Hit, offers

_PASSED_ON = ("stored_bytes", "delete", "delete_ids", "release_ids", "supersede_id")


class OwnedBackend(Backend):
    """A backend in which each memory has owners: whoever is entered finds and changes his own alone.

    A text that several have told is stored once, and deleted when the last of them has. What one takes out of recall
    or replaces, the others keep.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._told: dict[str, set[str]] = {}
        self._texts: dict[str | int, str] = {}
        self._entered: frozenset[str] = frozenset()

    def offers(self, name: str) -> bool:
        return super().offers(name) and (name not in _PASSED_ON or offers(self._backend, name))

    def stored_bytes(self) -> bytes:
        return self._backend.stored_bytes()

    def enter(self, owners: Sequence[str]) -> None:
        self._entered = frozenset(owners)

    def reset(self) -> None:
        self._backend.reset()
        self._told.clear()
        self._texts.clear()

    def add(self, texts: Sequence[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self._told]
        for text in texts:
            self._told.setdefault(text, set()).update(self._entered)
        if new:
            self._backend.add(new)

    def search(self, query: str, k: int) -> list[Hit]:
        hits = self._backend.search(query, max(k, len(self._told)))
        own = [hit for hit in hits if self._entered & self._told.get(hit.text, set())]
        self._texts.update((hit.id, hit.text) for hit in own)
        return own[:k]

    def delete(self, id: str | int) -> None:
        if self._leave(id):
            self._backend.delete(id)

    def close(self) -> None:
        self._backend.close()

    def delete_ids(self, ids: Sequence[str | int]) -> None:
        alone = [id for id in ids if self._leave(id)]
        if alone:
            self._backend.delete_ids(alone)

    def release_ids(self, ids: Sequence[str | int]) -> None:
        alone = [id for id in ids if self._leave(id)]
        self._backend.release_ids(alone)

    def supersede_id(self, id: str | int, text: str) -> None:
        if text not in self._told and self._leave(id):
            self._told[text] = set(self._entered)
            self._backend.supersede_id(id, text)
        else:
            self._leave(id)
            self.add([text])

    def _leave(self, id: str | int) -> bool:
        """Take who is entered from the owners of a memory; whether none is left."""
        text = self._texts[id]
        self._told[text] -= self._entered
        if self._told[text]:
            return False
        del self._told[text]
        return True
