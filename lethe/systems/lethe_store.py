"""Lethe as a measured system: the store's own operations as a six-method Adapter, with a surface for the hook."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Backend, Hit
from lethe.store.normalisation import normalised
from lethe.store.scan import Index
from lethe.store.store import Store
from lethe.store.thresholds import largest_gap_threshold

_CANDIDATES = 20
_FUSION_CONSTANT = 60
_STATES = 8
"""States of the past that are asked, back from the present."""


class LetheAdapter(Backend):
    """One in-memory store per case, and one for each owner where there are owners.

    Recall uses vectors alone, a purge takes the best of 20 by words and its equals, a release those of 20 candidates
    above the largest gap, and words are those between spaces, as in the paper (docs/systems.md, "Exactness"). `index`:
    where the store searches its vectors (`Store`).
    """

    def __init__(self, embedder: Embedder, index: Index = "matrix") -> None:
        self._embedder = embedder
        self._index = index
        self._folder: Path | None = None
        self._stores: dict[str, Store] = {}
        self.enter([""])

    @property
    def _store(self) -> Store:
        return self._stores[self._entered[0]]

    def enter(self, owners: Sequence[str]) -> None:
        for owner in owners:
            if owner not in self._stores:
                file = ":memory:" if self._folder is None else str(self._folder / f"{owner or 'memories'}.db")
                self._stores[owner] = Store(
                    file, embed=self._embedder.embed, dim=self._embedder.dim, words="unicode61", index=self._index
                )
        self._entered = tuple(owners)

    def reset(self) -> None:
        self._store.reset()
        for owner in self._stores.keys() - {self._entered[0]}:
            self._stores.pop(owner).close()
        self._entered = self._entered[:1]

    def inscribe(self, texts: Sequence[str]) -> None:
        for owner in self._entered:
            self._stores[owner].inscribe_many(texts)

    def recall_texts(self, query: str, k: int) -> list[str]:
        return [memory.text for memory in self._store.recall(query, k, mode="vector")]

    def supersede(self, query: str, text: str) -> None:
        self._store.supersede_matching(query, text, floor=None)

    def release(self, query: str) -> None:
        candidates = self.search(query, _CANDIDATES)
        if candidates:
            threshold = largest_gap_threshold([candidate.score for candidate in candidates])
            self.release_ids([candidate.id for candidate in candidates if candidate.score >= threshold])

    def purge(self, query: str) -> None:
        ranked = self._store.recall(query, _CANDIDATES, mode="lexical", match="any")
        if ranked:
            every = self._store.memories(include_submerged=True)
            wanted = normalised(ranked[0].text)
            near = {found.memory_id for found in ranked} | {memory.memory_id for memory in every if memory.depth == 0}
            self._store.purge_many(
                memory.memory_id for memory in every if memory.memory_id in near and normalised(memory.text) == wanted
            )

    def search(self, query: str, k: int) -> list[Hit]:
        """The paper's hybrid recall: reciprocal rank fusion of the k nearest and the k best that have every word.

        The score is the similarity, 0 for a memory that the words alone found.
        """
        near = self._store.recall(query, k, mode="vector")
        halves = near, self._store.recall(query, k, mode="lexical", match="all")
        fused: dict[int, float] = defaultdict(float)
        for half in halves:
            for rank, found in enumerate(half, start=1):
                fused[found.memory_id] += 1 / (_FUSION_CONSTANT + rank)
        similarities = {found.memory_id: found.similarity for found in near}
        hits = {
            found.memory_id: Hit(found.memory_id, found.text, similarities.get(found.memory_id, 0.0))
            for half in halves
            for found in half
        }
        return sorted(hits.values(), key=lambda hit: (-fused[int(hit.id)], -hit.score, int(hit.id)))[:k]

    def add(self, texts: Sequence[str]) -> None:
        self.inscribe(texts)

    def delete(self, id: str | int) -> None:
        self._store.purge(int(id))

    def edit(self, id: str | int, text: str) -> None:
        self._store.edit(int(id), text)

    def release_ids(self, ids: Sequence[str | int]) -> None:
        """Submerge these memories."""
        for id in ids:
            self._store.release(int(id))

    def close(self) -> None:
        for store in self._stores.values():
            store.close()

    def open(self, folder: Path) -> None:
        """A file in this folder for each owner."""
        self.shut()
        self._folder = folder
        self.enter([""])

    def shut(self) -> None:
        self.close()
        self._stores.clear()

    def compact(self) -> None:
        """Scrub the file; raises RuntimeError where another connection reads."""
        if not self._store.scrub():
            raise RuntimeError("scrub: not finished")

    def reads(self, id: str | int) -> Mapping[str, str]:
        read = {"list": str(self._store.memories(include_submerged=True)), "history": str(self._store.log())}
        try:
            return {**read, "get": str(self._store.blame(int(id)))}
        except LookupError as reason:
            return {**read, "get": str(reason)}

    def past(self, query: str, k: int) -> list[str]:
        """The recall in each of the last states of the log."""
        last = self._store.last_seq()
        states = range(max(0, last - _STATES), last + 1)
        return [memory.text for at in states for memory in self._store.recall(query, k, mode="vector", at=at)]

    def work(self) -> None:
        """Consolidate."""
        self._store.consolidate()

    def stored_bytes(self) -> bytes:
        return b"".join(store.stored_bytes() for store in self._stores.values())
