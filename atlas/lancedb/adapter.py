"""LanceDB: a table of texts and vectors in a folder, where every write is a version; vectors are handed in."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend


class LancedbBackend(FolderBackend):
    """One database per case with one table. `update` changes a row, `delete` takes it out of the latest version."""

    def __init__(self, embedder: Embedder) -> None:
        import lancedb
        import pyarrow

        self._connect = lancedb.connect
        vector = pyarrow.list_(pyarrow.float32(), embedder.dim)
        columns = {"id": pyarrow.string(), "text": pyarrow.string(), "vector": vector}
        self._schema = pyarrow.schema(list(columns.items()))
        self._embedder = embedder
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._table: Any = self._connect(folder).create_table("memories", schema=self._schema, exist_ok=True)

    def shut(self) -> None:
        """Nothing is kept back: each call has written its version."""

    def add(self, texts: Sequence[str]) -> None:
        """Each with the number of the version that it is written in, and its place there."""
        version, vectors = self._table.version, self._embedder.embed(list(texts))
        told = enumerate(zip(texts, vectors, strict=True))
        self._table.add([{"id": f"{version}.{n}", "text": text, "vector": vector} for n, (text, vector) in told])

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._table.search(self._embedder.embed([query])[0]).distance_type("cosine").limit(k).to_list()
        return [Hit(each["id"], each["text"], 1 - each["_distance"]) for each in found]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._table.update(where=_is(id), values={"text": text, "vector": self._embedder.embed([text])[0]})

    def delete(self, id: str | int) -> None:
        self._table.delete(_is(id))

    def compact(self) -> None:
        """Its command for a table that nobody else reads: old versions go, and the rows that were deleted with them."""
        self._table.optimize(cleanup_older_than=timedelta(0))

    def past(self, query: str, k: int) -> list[str]:
        """Each version that it still lists."""
        texts = []
        for version in self._table.list_versions():
            self._table.checkout(version["version"])
            texts += [hit.text for hit in self.search(query, k)]
        self._table.checkout_latest()
        return texts

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {"list": "\n".join(self._table.to_arrow()["text"].to_pylist())}


def _is(id: str | int) -> str:
    return f"id = '{id}'"
