"""AutoGen's `ChromaDBVectorMemory`: add, query and clear; to delete an item, all others are written again."""

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Backend, Hit
from lethe.systems.case_folders import CaseFolders
from lethe.systems.chroma_vacuum import vacuum

PRELOADED = ("autogen_core.memory", "autogen_ext.memory.chromadb")
_EVERYTHING = 1_000_000
"""Limit larger than any store of the benchmark; Chroma returns what there is."""


class AutoGenBackend(Backend):
    """One database folder per case; scores are AutoGen's own: cosines, for vectors of unit length.

    Items get new ids when they are added again, so each carries a number of ours in its metadata.
    """

    _next_key: int

    def __init__(self, embedder: Embedder) -> None:
        from autogen_core.memory import MemoryContent, MemoryMimeType
        from autogen_ext.memory import chromadb as memories

        self._memories: Any = memories
        self._content, self._plain = MemoryContent, MemoryMimeType.TEXT
        shared = {"function": lambda: _shared_embedding(embedder), "params": {}}
        self._embedding = memories.CustomEmbeddingFunctionConfig(**shared)
        self._runner = asyncio.Runner()
        self._folders = CaseFolders("autogen", self._create)
        self._open(self._folders.next())

    def reset(self) -> None:
        self._shut()
        self._open(self._folders.next())

    def add(self, texts: Sequence[str]) -> None:
        """Add a single text with AutoGen's own method; give its collection several at once, as that method would."""
        keys = range(self._next_key, self._next_key + len(texts))
        if len(texts) == 1:
            item = self._content(content=texts[0], mime_type=self._plain, metadata={"key": keys[0]})
            self._runner.run(self._memory.add(item))
        else:
            self._write(list(zip(keys, texts, strict=True)))
        self._next_key = keys.stop
        self._latest = texts[-1]

    def search(self, query: str, k: int) -> list[Hit]:
        self._config.k = k
        found = self._runner.run(self._memory.query(query)).results
        return [Hit(item.metadata["key"], item.content, item.metadata["score"]) for item in found]

    def delete(self, id: str | int) -> None:
        self.delete_ids([id])

    def delete_ids(self, ids: Sequence[str | int]) -> None:
        """Read everything, clear the memory, and add everything except these items."""
        # Any query would do; the vector of this one is cached.
        kept = sorted((hit.id, hit.text) for hit in self.search(self._latest, _EVERYTHING) if hit.id not in ids)
        self._runner.run(self._memory.clear())
        self._write(kept)

    def open(self, folder: Path) -> None:
        self._shut()
        self._folder = folder
        self._open(folder)
        kept = self.search("", _EVERYTHING)
        self._next_key = max((int(hit.id) + 1 for hit in kept), default=0)

    def shut(self) -> None:
        self._shut()

    def compact(self) -> None:
        """Chroma's own command; AutoGen itself offers none."""
        self._shut()
        try:
            vacuum(self._folder)
        finally:
            self.open(self._folder)

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {"list": str(self.search(self._latest, _EVERYTHING)), "export": str(self._memory.dump_component())}

    def close(self) -> None:
        self._shut()
        self._runner.close()
        self._folders.remove()

    def stored_bytes(self) -> bytes:
        """Chroma's SQLite database; for its index files see `lethe.systems.chroma`."""
        return self._folders.sqlite_bytes()

    def _write(self, items: Sequence[tuple[Any, str]]) -> None:
        self._memory._ensure_initialized()
        most = self._memory._client.get_max_batch_size()
        for start in range(0, len(items), most):
            batch = items[start : start + most]
            self._memory._collection.add(
                documents=[text for _, text in batch],
                metadatas=[{"key": key, "mime_type": str(self._plain)} for key, _ in batch],
                ids=[str(uuid.uuid4()) for _ in batch],
            )

    def _create(self, folder: Path) -> None:
        self._open(folder)
        self._runner.run(self._memory.clear())
        self._shut()

    def _open(self, folder: Path) -> None:
        self._config = self._memories.PersistentChromaDBVectorMemoryConfig(
            collection_name="case", persistence_path=str(folder), embedding_function_config=self._embedding
        )
        self._memory = self._memories.ChromaDBVectorMemory(self._config)
        self._next_key, self._latest = 0, ""

    def _shut(self) -> None:
        # The memory's own `close` drops its client without closing it, which would leak its files and threads.
        if self._memory._client is not None:
            self._memory._client.close()
        self._runner.run(self._memory.close())


def _shared_embedding(embedder: Embedder) -> Any:
    """The benchmark's embedder behind Chroma's interface."""
    from chromadb import EmbeddingFunction

    class SharedEmbedding(EmbeddingFunction):  # type: ignore[misc]
        def __init__(self) -> None:
            """Do nothing; the base class warns if there is no constructor."""

        def __call__(self, input: Sequence[str]) -> Any:
            return list(embedder.embed(list(input)))

        @staticmethod
        def name() -> str:
            return "shared"

        def get_config(self) -> dict[str, Any]:
            return {}

        @staticmethod
        def build_from_config(config: dict[str, Any]) -> Any:
            return SharedEmbedding()

    return SharedEmbedding()
