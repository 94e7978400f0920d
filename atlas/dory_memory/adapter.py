"""Dory: nodes of a graph in SQLite with full-text search; recall spreads activation from what a query finds."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Claim, Hit
from lethe.systems.in_folder import FolderBackend


class DoryBackend(FolderBackend):
    """One database per case. `erasure.forget` erases nodes and all that was made of them."""

    def __init__(self) -> None:
        from dory import DoryMemory, activation, erasure

        self._type: Any = DoryMemory
        self._activation: Any = activation
        self._erasure: Any = erasure
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._file = folder / "memory.db"
        self._memory = self._type(db_path=self._file)

    def shut(self) -> None:
        from dory.store import close_connection

        self._memory.close()
        close_connection(self._file)

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._memory.observe(text)

    def search(self, query: str, k: int) -> list[Hit]:
        """What `query` puts into its block of text: what its words find, best first, then what that activates."""
        graph = self._memory._graph
        seeds = self._activation.find_seeds(query, graph)
        levels = self._activation.spread(seeds[:8], graph) if seeds else {}
        ranked = dict.fromkeys([*seeds, *sorted(levels, key=lambda id: -levels[id])])
        return [Hit(id, graph.get_node(id).content, 1 / place) for place, id in enumerate(ranked, 1)][:k]

    def delete(self, id: str | int) -> None:
        self.delete_ids([id])

    def delete_ids(self, ids: Sequence[str | int]) -> None:
        self._erasure.forget(self._memory._graph, "", node_ids=list(ids))

    def claim(self) -> Claim:
        """Its check of every receipt against all that it holds."""
        said = self._erasure.verify(self._file)
        words = f"erasure_holds={said['erasure_holds']}, chain_valid={said['chain_valid']}, {said['receipts']} receipts"
        return Claim(said["erasure_holds"], "files", words)

    def work(self) -> None:
        """What it does at the end of a session: decay, and the merging of what looks alike."""
        self._memory.consolidate()
