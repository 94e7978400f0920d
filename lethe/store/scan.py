"""The vectors of the live memories where they stand in the file: every search reads them, by sqlite-vec's distances."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import apsw
import numpy as np
import numpy.typing as npt

from lethe.store.connection import fetch_all, fetch_value
from lethe.store.errors import LetheError
from lethe.store.matrix import BATCH, WEIGHT, Matrix, array_of, exact_similarities, ranked, rounding
from lethe.store.scope import Scope, Sight

Index = Literal["matrix", "sqlite-vec"]
LARGEST_MATRIX = 2**30
"""Bytes of live vectors above which a store that was not told its index has no copy of them in memory."""
_SPARE = 16
"""Memories beyond the k best that are asked for at once, since their distances may only seem larger."""
_LIVE = "memory LEFT JOIN version ON version.version_id = memory.version_id WHERE memory.depth > 0.0 AND"
_AMONG = "memory.memory_id IN (SELECT value FROM json_each(?))"
_SIMILARITY = "(1.0 - vec_distance_L2(version.vector, ?) / 2.0)"


class Scan:
    """What `Matrix` is to a store, without a copy of the vectors: slower, and of no size in memory.

    sqlite-vec's distances are rounded; so they only tell which memories may be among the closest, and the distances of
    those are computed one by one, as the matrix does it. What is erased in the file is erased here.
    """

    kind: ClassVar[Literal["sqlite-vec"]] = "sqlite-vec"

    def __init__(self, connection: apsw.Connection, dim: int) -> None:
        self._connection = connection
        self._dim = dim
        _load(connection)

    def catch_up(self, connection: apsw.Connection) -> None:
        """Do nothing: it is the file that is read."""

    def nearest(
        self,
        vector: bytes,
        k: int,
        scope: Sequence[str | None] = (),
        now: float | None = None,
        *,
        weighted: bool = False,
        sources: Sequence[str] | None = None,
    ) -> list[tuple[int, float]]:
        """What `Matrix.nearest` gives; memories that do not count are left out before the k best are taken."""
        condition, bindings = Sight(Scope(*scope), now, None if sources is None else tuple(sources)).condition()
        score = f"{_SIMILARITY} * {WEIGHT}" if weighted else _SIMILARITY
        query = f"SELECT memory.memory_id, {score} AS score FROM {_LIVE} {condition}"
        best = self._rows(f"{query} ORDER BY score DESC LIMIT ?", (vector, *bindings, k + _SPARE))
        if not best:
            return []
        least = best[min(k, len(best)) - 1][1] - rounding(self._dim)
        if len(best) == k + _SPARE and best[-1][1] >= least:
            best = self._rows(f"{query} AND score >= ?", (vector, *bindings, least))
        similarities = self.similarities(vector, [memory_id for memory_id, score in best if score >= least])
        weights = self.weights(similarities) if weighted else {}
        return ranked(
            np.array(list(similarities), dtype=np.int64),
            np.array(list(similarities.values())),
            np.array([weights[memory_id] for memory_id in similarities]) if weighted else None,
            k,
        )

    def weights(self, memory_ids: Iterable[int]) -> dict[int, float]:
        """The depth, at most 1, of each of these memories that is live."""
        query = f"SELECT memory.memory_id, {WEIGHT} FROM {_LIVE} {_AMONG}"
        return dict(self._rows(query, (json.dumps(list(memory_ids)),)))

    def vectors(self, memory_ids: Sequence[int]) -> npt.NDArray[np.float32]:
        """The (n, dim) vectors of memories that are live, in this order."""
        query = f"SELECT memory.memory_id, version.vector FROM {_LIVE} {_AMONG}"
        found = dict(self._rows(query, (json.dumps(list(memory_ids)),)))
        return array_of([found[memory_id] for memory_id in memory_ids], self._dim)

    def similarities(self, vector: bytes, memory_ids: Iterable[int]) -> dict[int, float]:
        """The similarity of each of these memories that is live; so many vectors at a time are in memory."""
        wanted = np.frombuffer(vector, dtype="<f4")
        query = f"SELECT memory.memory_id, version.vector FROM {_LIVE} {_AMONG}"
        similarities: dict[int, float] = {}
        ids = list(memory_ids)
        for start in range(0, len(ids), BATCH):
            rows = self._rows(query, (json.dumps(ids[start : start + BATCH]),))
            exact = exact_similarities(array_of([row[1] for row in rows], self._dim), wanted)
            similarities.update(zip([row[0] for row in rows], exact.tolist(), strict=True))
        return similarities

    def erase(self, memory_ids: Collection[int]) -> None:
        """Do nothing: there is no copy."""

    def forget(self) -> None:
        """Do nothing: there is no copy."""

    def _rows(self, query: str, bindings: Sequence[Any]) -> list[tuple[Any, ...]]:
        return fetch_all(self._connection, query, bindings)


VectorIndex: TypeAlias = Matrix | Scan


def opened(connection: apsw.Connection, dim: int, index: Index | None) -> VectorIndex:
    """The index of a store's vectors; without a choice, a scan of more than `LARGEST_MATRIX` if sqlite-vec is there."""
    if index is None:
        index = "sqlite-vec" if _is_large(connection, dim) and is_installed() else "matrix"
    return Matrix(dim) if index == "matrix" else Scan(connection, dim)


def _is_large(connection: apsw.Connection, dim: int) -> bool:
    most = LARGEST_MATRIX // (4 * dim)
    if fetch_value(connection, "SELECT coalesce(max(memory_id), 0) FROM memory") <= most:
        return False
    return bool(fetch_value(connection, "SELECT count(*) FROM memory WHERE depth > 0.0") > most)


def is_installed() -> bool:
    try:
        extension()
    except LetheError:
        return False
    return True


def extension() -> str:
    """The file of sqlite-vec; `LetheError` if it is not installed, or this SQLite takes no extensions."""
    try:
        import sqlite_vec
    except ImportError as error:
        raise LetheError('index "sqlite-vec": run pip install "lethe-store[sqlite-vec]"') from error
    if not hasattr(apsw.Connection, "load_extension"):
        raise LetheError('index "sqlite-vec": this apsw loads no extensions; install its wheel from PyPI')
    return str(sqlite_vec.loadable_path())


def _load(connection: apsw.Connection) -> None:
    file = extension()
    connection.enable_load_extension(True)
    try:
        connection.load_extension(file)
    except apsw.ExtensionLoadingError as error:
        raise LetheError(f'index "sqlite-vec": {file} cannot be loaded ({error}); install sqlite-vec anew') from error
    finally:
        connection.enable_load_extension(False)
