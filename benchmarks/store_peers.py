"""What benchmarks/store_table.py measures: Lethe's store, a resident matrix, and further stores and indexes of vectors.

Each is a class with `add(texts, vectors)`, `recall(query, vector)`, which finds ten, and `delete(number)`; memories are
numbered from 1, and `numbers_of` tells those that were found. Files of a system stand in the folder that it is given.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

DIM, K, BATCH = 384, 10, 5000


def batches(texts: Sequence[str], vectors: Any) -> Iterator[tuple[list[int], Sequence[str], Any]]:
    for start in range(0, len(texts), BATCH):
        end = min(start + BATCH, len(texts))
        yield list(range(start + 1, end + 1)), texts[start:end], vectors[start:end]


def numbers_of(found: Any) -> list[int]:
    """The numbers of the memories that a recall returned, in whatever form that was."""
    if hasattr(found, "ravel"):
        return [int(number) for number in found.ravel()]
    return [_number_of(one) for one in found]


def _number_of(one: Any) -> int:
    if isinstance(one, str):
        # A text, which begins with its number from 0 on.
        return int(one.split()[0].removeprefix("m")) + 1
    if isinstance(one, dict):
        return int(one["id"])
    return int(one[0] if isinstance(one, tuple) else getattr(one, "id", None) or one.key)


class System:
    """What is measured; `by_vectors_alone` says whether the ten nearest are asked for."""

    by_vectors_alone = True


class ResidentMatrix(System):
    """The reference: one product and one partial sort."""

    def __init__(self, folder: Path) -> None:
        self.texts: list[str] = []

    def add(self, texts: Sequence[str], vectors: Any) -> None:
        self.texts, self.vectors = list(texts), vectors.copy()

    def recall(self, query: str, vector: Any) -> list[str]:
        scores = self.vectors @ vector
        best = np.argpartition(scores, len(scores) - K)[-K:]
        return [self.texts[place] for place in best[np.argsort(-scores[best])]]


class Lethe(System):
    """`lethe.store` in a file; `act` names what `recall` does."""

    act = "vector"
    owner: str | None = None
    ttl: float | None = None
    is_keyed = False
    index = "matrix"

    def __init__(self, folder: Path) -> None:
        from lethe.store import Store, make_key

        self._known: dict[str, Any] = {}
        folder.mkdir(exist_ok=True)
        self._store = Store(
            folder / "m.db",
            embed=lambda texts: np.array([self._known[text] for text in texts]),
            dim=DIM,
            key=make_key(folder / "key") if self.is_keyed else None,
            index=self.index,  # type: ignore[arg-type]
        ).within(owner=self.owner)

    def add(self, texts: Sequence[str], vectors: Any) -> None:
        for _, part, of_part in batches(texts, vectors):
            self._known = dict(zip(part, of_part, strict=True))
            self._store.inscribe_many(part, ttl=self.ttl)

    def recall(self, query: str, vector: Any) -> list[str]:
        self._known = {query: vector}
        if self.act == "release":
            return [str(memory_id) for memory_id in self._store.release_matching(query, floor=None)]
        return [found.text for found in self._store.recall(query, K, mode=self.act)]  # type: ignore[arg-type]

    def delete(self, number: int) -> None:
        self._store.purge(number)


class LetheKeyed(Lethe):
    is_keyed = True


class LetheHybrid(Lethe):
    act = "hybrid"
    by_vectors_alone = False


class LetheScan(Lethe):
    index = "sqlite-vec"


class LetheScanHybrid(LetheHybrid):
    index = "sqlite-vec"


class LetheScope(LetheHybrid):
    owner = "ann"


class LetheTenth(LetheHybrid):
    """A scope that holds one memory in ten."""

    def add(self, texts: Sequence[str], vectors: Any) -> None:
        for start in range(10):
            self._known = dict(zip(texts[start::10], vectors[start::10], strict=True))
            owners = self._store.within(owner=f"owner {start}")
            for place in range(0, len(self._known), BATCH):
                owners.inscribe_many(list(self._known)[place : place + BATCH])
        self._store = self._store.within(owner="owner 3")
        self._own = iter([memory.memory_id for memory in self._store.memories()])

    def delete(self, number: int) -> None:
        self._store.purge(next(self._own))


class LetheScanTenth(LetheTenth):
    index = "sqlite-vec"


class LetheExpiry(LetheHybrid):
    ttl = 86_400.0


class LetheConsolidated(LetheHybrid):
    """Every memory has sunk a little."""

    def add(self, texts: Sequence[str], vectors: Any) -> None:
        super().add(texts, vectors)
        self._store.consolidate(now=time.time() + 86_400)


class LetheRelease(Lethe):
    act = "release"
    by_vectors_alone = False


class SqliteVec(System):
    """A vec0 table alone, in a file."""

    def __init__(self, folder: Path) -> None:
        import apsw
        import sqlite_vec

        self._sql = apsw.Connection(str(folder / "m.db"))
        self._sql.enable_load_extension(True)
        self._sql.load_extension(sqlite_vec.loadable_path())
        self._sql.execute("PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON").fetchall()
        self._sql.execute(f"CREATE VIRTUAL TABLE v USING vec0(id INTEGER PRIMARY KEY, vector FLOAT[{DIM}])")

    def add(self, texts: Sequence[str], vectors: Any) -> None:
        for ids, _, part in batches(texts, vectors):
            with self._sql:
                self._sql.executemany("INSERT INTO v VALUES (?, ?)", zip(ids, map(bytes, part), strict=True))

    def recall(self, query: str, vector: Any) -> list[Any]:
        return self._sql.execute(
            "SELECT id, distance FROM v WHERE vector MATCH ? AND k = ?", (bytes(vector), K)
        ).fetchall()

    def delete(self, number: int) -> None:
        self._sql.execute("DELETE FROM v WHERE id = ?", (number,))


class SqliteVecHybrid(SqliteVec):
    """The same with an FTS5 table beside it; both are asked for 100 and fused by reciprocal rank."""

    by_vectors_alone = False

    def add(self, texts: Sequence[str], vectors: Any) -> None:
        super().add(texts, vectors)
        self._sql.execute("CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'porter unicode61')")
        for ids, part, _ in batches(texts, vectors):
            with self._sql:
                rows = zip(ids, part, strict=True)
                self._sql.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", rows)

    def recall(self, query: str, vector: Any) -> list[Any]:
        near = "SELECT id, distance FROM v WHERE vector MATCH ? AND k = 100"
        best = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 100"
        scores: dict[int, float] = {}
        for rows in (self._sql.execute(near, (bytes(vector),)), self._sql.execute(best, (query,))):
            for rank, row in enumerate(rows, start=1):
                scores[row[0]] = scores.get(row[0], 0.0) + 1 / (60 + rank)
        found = sorted(scores, key=lambda id: -scores[id])[:K]
        query = f"SELECT rowid, text FROM words WHERE rowid IN ({', '.join('?' * len(found))})"
        return self._sql.execute(query, found).fetchall()

    def delete(self, number: int) -> None:
        with self._sql:
            super().delete(number)
            self._sql.execute("DELETE FROM words WHERE rowid = ?", (number,))


class FaissFlat(System):
    def __init__(self, folder: Path) -> None:
        import faiss

        faiss.omp_set_num_threads(1)
        self._index = faiss.IndexIDMap2(faiss.IndexFlatIP(DIM))

    def add(self, texts: Sequence[str], vectors: Any) -> None:
        self._index.add_with_ids(vectors, np.arange(1, len(texts) + 1))

    def recall(self, query: str, vector: Any) -> Any:
        return self._index.search(vector[None], K)[1]

    def delete(self, number: int) -> None:
        self._index.remove_ids(np.array([number]))


class FaissHnsw(FaissFlat):
    """Approximate; nothing can be deleted."""

    def __init__(self, folder: Path) -> None:
        import faiss

        faiss.omp_set_num_threads(1)
        graph = faiss.IndexHNSWFlat(DIM, 16, faiss.METRIC_INNER_PRODUCT)
        graph.hnsw.efConstruction, graph.hnsw.efSearch = 200, 64
        self._index = faiss.IndexIDMap2(graph)

    def delete(self, number: int) -> None:
        pass


class Hnswlib(System):
    """Approximate; a deletion only marks."""

    def __init__(self, folder: Path) -> None:
        import hnswlib

        self._index = hnswlib.Index("ip", DIM)

    def add(self, texts: Sequence[str], vectors: Any) -> None:
        self._index.init_index(len(texts), ef_construction=200, M=16)
        self._index.set_num_threads(1)
        self._index.add_items(vectors, np.arange(1, len(texts) + 1))

    def recall(self, query: str, vector: Any) -> Any:
        return self._index.knn_query(vector, K)[0]

    def delete(self, number: int) -> None:
        self._index.mark_deleted(number)


class Chroma(System):
    """Approximate."""

    def __init__(self, folder: Path) -> None:
        import chromadb

        settings = chromadb.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(str(folder), settings=settings)
        self._collection = client.create_collection("memories", metadata={"hnsw:space": "ip", "hnsw:num_threads": 1})

    def add(self, texts: Sequence[str], vectors: Any) -> None:
        for ids, part, of_part in batches(texts, vectors):
            self._collection.add([str(number) for number in ids], embeddings=of_part, documents=list(part))

    def recall(self, query: str, vector: Any) -> Any:
        return self._collection.query(query_embeddings=[vector], n_results=K)["documents"][0]

    def delete(self, number: int) -> None:
        self._collection.delete([str(number)])


class QdrantLocal(System):
    def __init__(self, folder: Path) -> None:
        from qdrant_client import QdrantClient, models

        self._models, self._client = models, QdrantClient(path=str(folder))
        parameters = models.VectorParams(size=DIM, distance=models.Distance.DOT)
        self._client.create_collection("memories", vectors_config=parameters)

    def add(self, texts: Sequence[str], vectors: Any) -> None:
        for ids, part, of_part in batches(texts, vectors):
            payloads = [{"text": text} for text in part]
            self._client.upload_collection("memories", vectors=of_part, payload=payloads, ids=ids, batch_size=BATCH)

    def recall(self, query: str, vector: Any) -> Any:
        return self._client.query_points("memories", query=vector, limit=K).points

    def delete(self, number: int) -> None:
        self._client.delete("memories", points_selector=[number])


class LanceDb(System):
    def __init__(self, folder: Path) -> None:
        import lancedb

        self._database = lancedb.connect(folder)

    def add(self, texts: Sequence[str], vectors: Any) -> None:
        import pyarrow as pa

        flat = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIM)
        ids = pa.array(range(1, len(texts) + 1))
        self._table = self._database.create_table("m", pa.table({"id": ids, "text": list(texts), "vector": flat}))

    def recall(self, query: str, vector: Any) -> Any:
        return self._table.search(vector).limit(K).to_list()

    def delete(self, number: int) -> None:
        self._table.delete(f"id = {number}")


class LanceDbHybrid(LanceDb):
    """By vectors and by words, fused by its reciprocal rank."""

    by_vectors_alone = False

    def add(self, texts: Sequence[str], vectors: Any) -> None:
        super().add(texts, vectors)
        self._table.create_fts_index("text")

    def recall(self, query: str, vector: Any) -> Any:
        return self._table.search(query_type="hybrid").vector(vector).text(query).limit(K).to_list()


class LangGraphInMemory(System):
    by_vectors_alone = False

    def __init__(self, folder: Path) -> None:
        from langgraph.store.memory import InMemoryStore

        self._known: dict[str, Any] = {}

        def embed(texts: Sequence[str]) -> list[list[float]]:
            return [self._known[text] for text in texts]

        self._store = InMemoryStore(index={"dims": DIM, "embed": embed, "fields": ["text"]})

    def add(self, texts: Sequence[str], vectors: Any) -> None:
        for ids, part, of_part in batches(texts, vectors):
            self._known = dict(zip(part, of_part.tolist(), strict=True))
            for number, text in zip(ids, part, strict=True):
                self._store.put(("m",), str(number), {"text": text})

    def recall(self, query: str, vector: Any) -> Any:
        self._known = {query: vector.tolist()}
        return self._store.search(("m",), query=query, limit=K)

    def delete(self, number: int) -> None:
        self._store.delete(("m",), str(number))


SYSTEMS: dict[str, Any] = {
    "Lethe, vectors": Lethe,
    "Lethe, vectors, with a key": LetheKeyed,
    "Lethe, hybrid": LetheHybrid,
    "Lethe, hybrid in a scope": LetheScope,
    "Lethe, hybrid in a scope of a tenth": LetheTenth,
    "Lethe, hybrid with ends": LetheExpiry,
    "Lethe, hybrid, consolidated": LetheConsolidated,
    "Lethe, release by query": LetheRelease,
    "Lethe, vectors, sqlite-vec": LetheScan,
    "Lethe, hybrid, sqlite-vec": LetheScanHybrid,
    "Lethe, hybrid in a scope of a tenth, sqlite-vec": LetheScanTenth,
    "sqlite-vec alone": SqliteVec,
    "sqlite-vec and FTS5, hybrid": SqliteVecHybrid,
    "FAISS flat": FaissFlat,
    "FAISS HNSW": FaissHnsw,
    "hnswlib": Hnswlib,
    "Chroma": Chroma,
    "Qdrant local": QdrantLocal,
    "LanceDB": LanceDb,
    "LanceDB, hybrid": LanceDbHybrid,
    "LangGraph InMemoryStore": LangGraphInMemory,
}
