"""Citadel: atoms of an encrypted region in a file of pages, each under a key of its own; vectors are handed in."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Claim, Hit
from lethe.systems.in_folder import FolderBackend

_KEY, _KIND = "a passphrase", "fact"


class CitadelBackend(FolderBackend):
    """One file for all cases, and an encrypted region for each owner. `forget` destroys an atom's key."""

    metric, model_id = "cosine", "benchmark:v1"

    def __init__(self, embedder: Embedder) -> None:
        import citadeldb

        self._connect: Any = citadeldb.connect
        self._embedder = embedder
        self.dim = embedder.dim
        super().__init__()

    def embed_with_cancel(self, texts: Sequence[str], token: object) -> list[list[float]]:
        """The vectors of texts, as Citadel asks an embedder for them."""
        vectors: list[list[float]] = self._embedder.embed(list(texts)).tolist()
        return vectors

    def begin(self, folder: Path) -> None:
        self._database = self._connect(str(folder / "memory.cdl"), key=_KEY, region_keys=True)
        self._memory = self._database.memory()
        self._open: set[str] = set()
        self.enter(["user"])

    def reset(self) -> None:
        """Drop every region: to open a file takes half a second, for the passphrase's sake."""
        for region in self._open:
            self._memory.drop_region(region)
        self._open.clear()
        self.enter(["user"])

    def enter(self, owners: Sequence[str]) -> None:
        """A region for each owner."""
        self._regions = list(owners)
        for region in [owner for owner in owners if owner not in self._open]:
            known = self._memory.region(region) is not None
            (self._memory.attach_existing_region if known else self._memory.create_encrypted_region)(region, self)
            self._open.add(region)

    def shut(self) -> None:
        self._memory = None
        self._database.close()

    def add(self, texts: Sequence[str]) -> None:
        for region in self._regions:
            self._memory.remember_batch(region, [{"kind": _KIND, "text": text} for text in texts])

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._memory.recall(self._regions[0], text=query, k=k)
        return [Hit(each.id, each.text, each.relevance) for each in found]

    def delete(self, id: str | int) -> None:
        self.delete_ids([id])

    def delete_ids(self, ids: Sequence[str | int]) -> None:
        self._receipt = self._memory.forget(self._regions[0], list(ids))

    def claim(self) -> Claim:
        """The receipt of the last erasure."""
        said = self._receipt
        words = f"cryptographic_erasure={said.cryptographic_erasure}, readback_confirmed={said.readback_confirmed}"
        return Claim(said.cryptographic_erasure and said.readback_confirmed, "files", f"receipt: {words}")
