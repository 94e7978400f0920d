"""Chroma as a plain vector store: embedded, on disk, with the default HNSW index."""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Backend, Hit
from lethe.systems.case_folders import CaseFolders
from lethe.systems.chroma_vacuum import vacuum

PRELOADED = ("chromadb",)
_COLLECTION = "case"
_COSINE = {"hnsw": {"space": "cosine"}}


class ChromaBackend(Backend):
    """One database folder per case; scores are cosines."""

    def __init__(self, embedder: Embedder) -> None:
        import chromadb

        self._embedder = embedder
        self._new_client = chromadb.PersistentClient
        self._settings = chromadb.Settings(anonymized_telemetry=False)
        self._folders = CaseFolders("chroma", self._create)
        self._open()

    def reset(self) -> None:
        self._client.close()
        self._open()

    def add(self, texts: Sequence[str]) -> None:
        ids = [str(self._next_id + offset) for offset in range(len(texts))]
        self._next_id += len(texts)
        memories = zip(ids, texts, self._embedder.embed(list(texts)), strict=True)
        while batch := list(itertools.islice(memories, self._client.get_max_batch_size())):
            keys, documents, vectors = zip(*batch, strict=True)
            self._collection.add(ids=list(keys), documents=list(documents), embeddings=list(vectors))

    def search(self, query: str, k: int) -> list[Hit]:
        vector = self._embedder.embed([query])[0]
        found = self._collection.query(query_embeddings=[vector], n_results=k, include=["documents", "distances"])
        hits = zip(found["ids"][0], found["documents"][0], found["distances"][0], strict=True)
        return [Hit(id, text, 1.0 - distance) for id, text, distance in hits]

    def delete(self, id: str | int) -> None:
        self.delete_ids([id])

    def delete_ids(self, ids: Sequence[str | int]) -> None:
        self._collection.delete(ids=[str(id) for id in ids])

    def open(self, folder: Path) -> None:
        self._client.close()
        self._open_in(folder)

    def shut(self) -> None:
        self._client.close()

    def compact(self) -> None:
        """The command that Chroma comes with, and that it asks to be run on a client that is shut."""
        self._client.close()
        try:
            vacuum(self._folder)
        finally:
            self._open_in(self._folder)

    def reads(self, id: str | int) -> Mapping[str, str]:
        every = ["documents", "metadatas", "embeddings"]
        return {
            "get": str(self._collection.get(ids=[str(id)], include=every)),
            "list": str(self._collection.get(include=["documents", "metadatas"])),
        }

    def close(self) -> None:
        self._client.close()
        self._folders.remove()

    def stored_bytes(self) -> bytes:
        """The SQLite database, which holds the documents.

        The files of the HNSW index are left out: besides vectors they contain uninitialised memory of the process
        that wrote them, which differs from run to run.
        """
        return self._folders.sqlite_bytes()

    def _create(self, folder: Path) -> None:
        client = self._new_client(str(folder), self._settings)
        client.create_collection(_COLLECTION, embedding_function=None, configuration=_COSINE)
        client.close()

    def _open(self) -> None:
        self._client: Any = self._new_client(str(self._folders.next()), self._settings)
        self._collection = self._client.get_collection(_COLLECTION, embedding_function=None)
        self._next_id = 0

    def _open_in(self, folder: Path) -> None:
        self._folder = folder
        self._client = self._new_client(str(folder), self._settings)
        options = {"embedding_function": None, "configuration": _COSINE}
        self._collection = self._client.get_or_create_collection(_COLLECTION, **options)
        self._next_id = max((int(id) + 1 for id in self._collection.get(include=[])["ids"]), default=0)
