"""The vectors of the live memories in one array, kept equal to the file by the file's log."""

import itertools
from collections.abc import Collection, Sequence

import apsw
import numpy as np
import numpy.typing as npt

from lethe.store.connection import fetch_all, fetch_only, fetch_value

_BLOCK = 64
"""Memories whose best score stands for all of them when the k best are looked for."""
_SPARE = 64
_BATCH = 4096
_VECTORS = (
    "SELECT memory.memory_id, version.vector FROM memory JOIN version ON version.version_id = memory.version_id"
    " WHERE memory.depth > 0.0"
)


class Matrix:
    """A row for each live memory: its vector and half its squared length.

    The closest memory is the one with the largest product minus that half, whatever the lengths are. That product is
    rounded; so it only tells which memories may be among the closest, and their distances are computed one by one,
    alike for equal vectors. Rows of erased memories are overwritten with zeros.
    """

    def __init__(self, dim: int) -> None:
        self._dim = dim
        # Twice what a product of two float32 vectors of length 1 may be wrong by.
        self._rounding = (dim + 8) * 2.0**-22
        self._identity = b""
        self._seq = self._used = 0
        self._vectors = np.zeros((0, dim), dtype="<f4")
        self._make_room(0)

    def catch_up(self, connection: apsw.Connection) -> None:
        """Bring the rows to the state that the connection sees: what the log tells since, or all if that is less.

        To be called before a transaction changes anything, so that nothing is taken over that is then rolled back.
        Where an interrupt ends it, the next call reads everything again.
        """
        query = "SELECT identity, (SELECT coalesce(max(seq), 0) FROM event) FROM store"
        identity, seq = fetch_only(connection, query)
        known, self._identity = self._identity, b""
        if identity != known or seq < self._seq:
            self._load(connection)
        elif seq > self._seq:
            query = "SELECT DISTINCT memory_id FROM event WHERE seq > ?"
            changed = [memory_id for (memory_id,) in fetch_all(connection, query, (self._seq,))]
            if len(changed) > self._used // 4 + _SPARE:
                self._load(connection)
            else:
                self._follow(connection, changed)
        self._identity, self._seq = identity, seq

    def nearest(
        self, vector: bytes, k: int, among: Collection[int] | None = None, hidden: Collection[int] = ()
    ) -> list[tuple[int, float]]:
        """(memory_id, similarity) of the k memories closest to `vector`, best first; similarity is 1 - d/2; ties by id.

        Args:
            among: the only ones that count; None for all.
            hidden: those that do not count.
        """
        wanted = np.frombuffer(vector, dtype="<f4")
        rows = None if among is None else self._rows(among)
        if rows is None or 4 * len(rows) > self._used:
            scores = self._vectors[: self._used] @ wanted
            scores -= self._halves[: self._used]
            if rows is not None:
                kept = np.full(self._used, -np.inf, dtype=np.float32)
                kept[rows] = scores[rows]
                scores, rows = kept, None
        else:
            scores = self._vectors[rows] @ wanted - self._halves[rows]
        if hidden:
            scores[np.isin(self._ids[: self._used] if rows is None else self._ids[rows], list(hidden))] = -np.inf
        least = _kth_largest(scores, k) - self._rounding * max(1.0, self._longest) * max(
            1.0, self._longest, float(np.sqrt(wanted @ wanted))
        )
        candidates = np.flatnonzero(scores >= max(least, np.finfo(np.float32).min))
        return self._ranked(wanted, candidates if rows is None else rows[candidates], k)

    def _ranked(
        self, wanted: npt.NDArray[np.float32], candidates: npt.NDArray[np.int64], k: int
    ) -> list[tuple[int, float]]:
        apart = self._vectors[candidates].astype(np.float64)
        apart -= wanted
        similarities = 1.0 - np.sqrt(np.einsum("ij,ij->i", apart, apart)) / 2.0
        ids = self._ids[candidates]
        best = np.lexsort((ids, -similarities))[:k]
        return list(zip(ids[best].tolist(), similarities[best].tolist(), strict=True))

    def erase(self, memory_ids: Collection[int]) -> None:
        """Overwrite the rows of these memories, as far as they have one."""
        known, self._identity = self._identity, b""
        for memory_id in memory_ids:
            self._remove(memory_id)
        self._identity = known

    def _remove(self, memory_id: int) -> None:
        """Put the last row in the place of this memory's, if it has one, and overwrite that."""
        place = self._places.pop(memory_id, None)
        if place is None:
            return
        self._used = last = self._used - 1
        if place != last:
            self._vectors[place], self._halves[place] = self._vectors[last], self._halves[last]
            self._ids[place] = moved = self._ids[last]
            self._places[int(moved)] = place
        self._vectors[last] = 0.0
        self._halves[last] = 0.0

    def forget(self) -> None:
        """Overwrite all vectors and let go of them."""
        self._make_room(0)

    def _make_room(self, rows: int) -> None:
        """Start again with room for so many memories."""
        self._vectors[: self._used] = 0.0
        self._identity = b""
        self._seq = self._used = 0
        self._longest = 0.0
        self._vectors = np.zeros((rows, self._dim), dtype="<f4")
        self._halves = np.zeros(rows, dtype=np.float32)
        self._ids = np.zeros(rows, dtype=np.int64)
        self._places: dict[int, int] = {}

    def _rows(self, memory_ids: Collection[int]) -> npt.NDArray[np.int64]:
        places = self._places
        return np.array([places[memory_id] for memory_id in memory_ids if memory_id in places], dtype=np.int64)

    def _load(self, connection: apsw.Connection) -> None:
        live = fetch_value(connection, "SELECT count(*) FROM memory WHERE depth > 0.0")
        self._make_room(live + live // 8 + _SPARE)
        rows = iter(connection.execute(_VECTORS))
        while batch := list(itertools.islice(rows, _BATCH)):
            self._append(batch)

    def _follow(self, connection: apsw.Connection, changed: Sequence[int]) -> None:
        query = f"{_VECTORS} AND memory.memory_id = ?"
        for memory_id in changed:
            self._remove(memory_id)
            self._append(fetch_all(connection, query, (memory_id,)))

    def _append(self, batch: Sequence[tuple[int, bytes]]) -> None:
        if not batch:
            return
        start, end = self._used, self._used + len(batch)
        if end > len(self._ids):
            self._grow(end + end // 8 + _SPARE)
        vectors = np.frombuffer(b"".join(vector for _, vector in batch), dtype="<f4")
        if vectors.size != len(batch) * self._dim:
            raise apsw.CorruptError("a vector of another size")
        vectors = vectors.reshape(len(batch), self._dim)
        self._vectors[start:end] = vectors
        halves = np.einsum("ij,ij->i", vectors, vectors) / 2
        self._halves[start:end] = halves
        self._longest = max(self._longest, float(np.sqrt(2 * halves.max())))
        ids = [memory_id for memory_id, _ in batch]
        self._ids[start:end] = ids
        self._places.update(zip(ids, range(start, end), strict=True))
        self._used = end

    def _grow(self, rows: int) -> None:
        vectors, halves, ids = self._vectors, self._halves, self._ids
        self._vectors = np.zeros((rows, self._dim), dtype="<f4")
        self._halves, self._ids = np.zeros(rows, dtype=np.float32), np.zeros(rows, dtype=np.int64)
        for new, old in ((self._vectors, vectors), (self._halves, halves), (self._ids, ids)):
            new[: self._used] = old[: self._used]
        vectors[: self._used] = 0.0


def _kth_largest(scores: npt.NDArray[np.float32], k: int) -> float:
    """A number that at least k scores reach, as large as the best scores of blocks allow; -inf for fewer than k."""
    if len(scores) <= k:
        return -np.inf
    best = scores
    if len(scores) > 4 * _BLOCK * k:
        whole = len(scores) // _BLOCK * _BLOCK
        best = scores[:whole].reshape(-1, _BLOCK).max(axis=1)
    return float(np.partition(best, len(best) - k)[len(best) - k])
