"""MemPalace: verbatim drawers in its `sqlite_exact` back end, ranked by its own vector and BM25 blend.

With `snippets`, what its `MemoryStack.search` shows instead, which is what the paper recalls: the nearest drawers by
vector alone, each cut to 300 characters.
"""

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Backend, Hit

PRELOADED = ("mempalace.palace", "mempalace.searcher")
_SNIPPET = 300
"""Characters of a drawer that `MemoryStack.search` shows; of a longer one the last three are an ellipsis."""


class _SharedEmbedding:
    """MemPalace's embedding-function interface in front of the benchmark's embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def __call__(self, input: Sequence[str]) -> list[NDArray[np.float32]]:
        return list(self._embedder.embed(list(input)))


class MemPalaceBackend(Backend):
    """One palace directory per case. `mempalace.mcp_server` is never imported: it takes over file descriptor 1.

    Args:
        snippets: recall as `MemoryStack.search` does.
    """

    def __init__(self, embedder: Embedder, snippets: bool = False) -> None:
        os.environ |= {"MEMPALACE_BACKEND": "sqlite_exact", "MEMPALACE_EMBEDDING_MODEL": "minilm"}
        from mempalace import embedding, palace, searcher

        shared = _SharedEmbedding(embedder)
        embedding.get_embedding_function = lambda device=None, model=None: shared
        self._get_collection = palace.get_collection
        self._backend_for = palace.get_backend_for_palace
        self._search = searcher.search_memories
        self._snippets = snippets
        self._root = Path(tempfile.mkdtemp(prefix="mempalace-"))
        self._palaces = 0
        self._prefilled_with: Sequence[str] = ()
        self.reset()

    def reset(self) -> None:
        self._drop()
        self._next_folder().mkdir()
        self._open(drawers=0)

    def reset_to(self, texts: Sequence[str]) -> None:
        """Do the same as `reset` and `add`, by copying a palace that `texts` were added to once.

        Adding n drawers takes time quadratic in n, however they are batched: for each one, `sqlite_exact` scans its
        full-text table for an older version. 10 000 drawers take 13 s, a copy 0.1 s.
        """
        prefilled = self._root / "prefilled"
        if self._prefilled_with != texts:
            self.reset()
            self.add(texts)
            self._backend_for(str(self._folder)).close_palace(str(self._folder))
            shutil.rmtree(prefilled, ignore_errors=True)
            shutil.copytree(self._folder, prefilled)
            self._prefilled_with = texts
        self._drop()
        shutil.copytree(prefilled, self._next_folder())
        self._open(drawers=len(texts))

    def add(self, texts: Sequence[str]) -> None:
        ids = [f"drawer-{self._next_drawer + offset}" for offset in range(len(texts))]
        self._next_drawer += len(texts)
        now = datetime.now(UTC).isoformat()
        shared = {"wing": "case", "room": "facts", "filed_at": now, "chunk_index": 0}
        self._drawers.upsert(ids=ids, documents=list(texts), metadatas=[{**shared, "source_file": i} for i in ids])

    def search(self, query: str, k: int) -> list[Hit]:
        if self._snippets:
            return self._nearest_snippets(query, k)
        found = self._search(query, palace_path=str(self._folder), n_results=k)
        if "error" in found:
            raise RuntimeError(f"MemPalace search: {found['error']}")
        return [Hit(item["drawer_id"], item["text"], item["similarity"]) for item in found["results"]]

    def delete(self, id: str | int) -> None:
        self._drawers.delete(ids=[id])

    def open(self, folder: Path) -> None:
        self._drop()
        # What is opened here is not this class's to remove.
        self._palaces, self._folder = 0, folder
        self._open(drawers=0)
        ids = self._drawers.get(include=[]).ids
        self._next_drawer = max((int(id.rpartition("-")[2]) + 1 for id in ids), default=0)

    def shut(self) -> None:
        self._backend_for(str(self._folder)).close_palace(str(self._folder))

    def compact(self) -> None:
        """The palace's own maintenance."""
        self._drawers.run_maintenance("compact")

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {"get": str(self._drawers.get(ids=[id])), "list": str(self._drawers.get())}

    def close(self) -> None:
        self._drop()
        shutil.rmtree(self._root, ignore_errors=True)

    def stored_bytes(self) -> bytes:
        """Every file of the palace directory."""
        return b"\n".join(path.read_bytes() for path in sorted(self._folder.rglob("*")) if path.is_file())

    def _nearest_snippets(self, query: str, k: int) -> list[Hit]:
        # `MemoryStack.search` itself gives one string, without ids, and puts what broke into it.
        found = self._drawers.query(query_texts=[query], n_results=k, include=["documents", "distances"])
        columns = (found[name][0] for name in ("ids", "documents", "distances"))
        return [Hit(id, _snippet(text), 1 - distance) for id, text, distance in zip(*columns, strict=True)]

    def _next_folder(self) -> Path:
        self._palaces += 1
        self._folder = self._root / str(self._palaces)
        return self._folder

    def _open(self, drawers: int) -> None:
        self._drawers = self._get_collection(str(self._folder), create=True)
        self._next_drawer = drawers

    def _drop(self) -> None:
        if self._palaces:
            self._backend_for(str(self._folder)).close_palace(str(self._folder))
            shutil.rmtree(self._folder, ignore_errors=True)


def _snippet(text: str) -> str:
    line = text.strip().replace("\n", " ")
    return line if len(line) <= _SNIPPET else f"{line[: _SNIPPET - 3]}..."
