"""The vectors and scopes of the live memories in arrays, kept equal to the file by the file's log."""

import itertools
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import apsw
import numpy as np
import numpy.typing as npt

from lethe.store.connection import fetch_all, fetch_only, fetch_value, stored_state
from lethe.store.depth import CONSOLIDATED_AT, HALF_LIFE, PRESENT

_BLOCK = 64
"""Memories whose best score stands for all of them when the k best are looked for."""
_SPARE = 64
BATCH = 4096
"""Vectors that are read at a time."""
_NO_MARK = -1
_LEAST = float(np.finfo(np.float32).min)
"""What the score of a memory that counts reaches."""
WEIGHT = f"min(1.0, {PRESENT})"
"""What a query selects in order to read the weight of a memory."""
_ROWS = (
    f"SELECT memory.memory_id, version.vector, {WEIGHT}, memory.expires_at, memory.owner, memory.session,"
    " memory.source FROM memory JOIN version ON version.version_id = memory.version_id WHERE memory.depth > 0.0"
)
_Row = tuple[int, bytes, float, float | None, str | None, str | None, str | None]


@dataclass(slots=True)
class _Marks:
    """A number for each owner, session or source that memories have, and that of each row."""

    of_rows: npt.NDArray[np.int32]
    numbers: dict[str, int] = field(default_factory=dict)

    def put(self, start: int, marks: Sequence[str | None]) -> None:
        """Give the rows from `start` on these marks."""
        for row, mark in enumerate(marks, start=start):
            if mark is not None and mark not in self.numbers:
                self.numbers[mark] = max(self.numbers.values(), default=_NO_MARK) + 1
            self.of_rows[row] = _NO_MARK if mark is None else self.numbers[mark]


class Matrix:
    """A row for each live memory: its vector, half its squared length, its weight, its end and its scope.

    The closest memory is the one with the largest product minus that half, whatever the lengths are. That product is
    rounded; so it only tells which memories may be among the closest, and their distances are computed one by one,
    alike for equal vectors. Rows of erased memories are overwritten with zeros.
    """

    kind: ClassVar[Literal["matrix"]] = "matrix"

    def __init__(self, dim: int) -> None:
        self._dim = dim
        self._identity = b""
        self._state: int | None = None
        self._seq = self._used = 0
        self._consolidated: list[float | None] = [None, None]
        self._vectors = np.zeros((0, dim), dtype="<f4")
        self._make_room(0)

    def catch_up(self, connection: apsw.Connection) -> None:
        """Bring the rows to the state that the connection sees: what the log tells since, or all if that is less.

        To be called before a transaction changes anything, so that nothing is taken over that is then rolled back.
        Where an interrupt ends it, the next call reads everything again.
        """
        state = stored_state(connection)
        if self._identity and state is not None and state == self._state:
            return
        query = f"SELECT identity, (SELECT coalesce(max(seq), 0) FROM event), {CONSOLIDATED_AT}, {HALF_LIFE} FROM store"
        identity, seq, *consolidated = fetch_only(connection, query)
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
        if consolidated != self._consolidated:
            self._weigh(connection)
        self._identity, self._seq, self._consolidated, self._state = identity, seq, consolidated, state

    def _weigh(self, connection: apsw.Connection) -> None:
        """Read the weight of every row again."""
        query = f"SELECT memory_id, {WEIGHT} FROM memory WHERE depth > 0.0"
        for memory_id, weight in fetch_all(connection, query):
            self._weights[self._places[memory_id]] = weight

    def weights(self, memory_ids: Iterable[int]) -> dict[int, float]:
        """The depth, at most 1, of each of these memories that has a row."""
        return {id: float(self._weights[self._places[id]]) for id in memory_ids if id in self._places}

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
        """(memory_id, similarity) of the k memories closest to `vector`, best first; similarity is 1 - d/2; ties by id.

        Args:
            scope: the owner, the session and the source of the only memories that count; None for any.
            now: memories that have expired by then do not count; None where all do.
            weighted: the closest are those with the largest similarity times weight.
            sources: only memories of one of these count; None for any.
        """
        wanted = np.frombuffer(vector, dtype="<f4")
        counting = self._counting(scope, now, sources)
        rows = None if counting is None else np.flatnonzero(counting)
        if rows is not None and 4 * len(rows) < self._used:
            scores = self._vectors[rows] @ wanted - self._halves[rows]
        else:
            scores = self._vectors[: self._used] @ wanted
            scores -= self._halves[: self._used]
            if counting is not None:
                scores[~counting] = -np.inf
            rows = None
        length = float(np.sqrt(wanted @ wanted))
        error = rounding(self._dim) * max(1.0, self._longest) * max(1.0, self._longest, length)
        if weighted:
            # The root makes an error of r in the square of a distance one of root r at most.
            weights = self._weights[: self._used] if rows is None else self._weights[rows]
            scores = (1.0 - np.sqrt(np.maximum(length**2 - 2.0 * scores, 0.0)) / 2.0) * weights
            error = math.sqrt(2.0 * error)
        least = _kth_largest(scores, k) - error
        candidates = np.flatnonzero(scores >= max(least, _LEAST))
        return self._ranked(wanted, candidates if rows is None else rows[candidates], k, weighted=weighted)

    def vectors(self, memory_ids: Sequence[int]) -> npt.NDArray[np.float32]:
        """The (n, dim) vectors of memories that have rows, in this order, as a copy."""
        return self._vectors[[self._places[memory_id] for memory_id in memory_ids]]

    def similarities(self, vector: bytes, memory_ids: Iterable[int]) -> dict[int, float]:
        """The similarity of each of these memories that has a row."""
        wanted = np.frombuffer(vector, dtype="<f4")
        rows = [self._places[memory_id] for memory_id in memory_ids if memory_id in self._places]
        return dict(self._ranked(wanted, np.array(rows, dtype=np.int64), len(rows)))

    def _counting(
        self, scope: Sequence[str | None], now: float | None, sources: Sequence[str] | None
    ) -> npt.NDArray[np.bool_] | None:
        """Which rows count; None if all do."""
        counting: npt.NDArray[np.bool_] | None = None
        if now is not None:
            counting = self._ends[: self._used] > now
        for marks, mark in zip(self._marks, scope, strict=False):
            if mark is not None:
                of_mark = marks.of_rows[: self._used] == marks.numbers.get(mark, _NO_MARK - 1)
                counting = of_mark if counting is None else counting & of_mark
        if sources is not None:
            marks = self._marks[-1]
            numbers = [marks.numbers[source] for source in sources if source in marks.numbers]
            of_sources = np.isin(marks.of_rows[: self._used], numbers)
            counting = of_sources if counting is None else counting & of_sources
        return counting

    def _ranked(
        self, wanted: npt.NDArray[np.float32], candidates: npt.NDArray[np.int64], k: int, *, weighted: bool = False
    ) -> list[tuple[int, float]]:
        similarities = exact_similarities(self._vectors[candidates], wanted)
        return ranked(self._ids[candidates], similarities, self._weights[candidates] if weighted else None, k)

    def erase(self, memory_ids: Collection[int]) -> None:
        """Overwrite the rows of these memories, as far as they have one."""
        known, self._identity = self._identity, b""
        for memory_id in memory_ids:
            self._remove(memory_id)
        for marks in self._marks:
            if marks.numbers:
                # Counted from _NO_MARK on.
                left = np.bincount(marks.of_rows[: self._used] - _NO_MARK, minlength=max(marks.numbers.values()) + 2)
                marks.numbers = {mark: number for mark, number in marks.numbers.items() if left[number - _NO_MARK]}
        self._identity = known

    def _remove(self, memory_id: int) -> None:
        """Put the last row in the place of this memory's, if it has one, and overwrite that."""
        place = self._places.pop(memory_id, None)
        if place is None:
            return
        self._used = last = self._used - 1
        if place != last:
            self._vectors[place], self._halves[place] = self._vectors[last], self._halves[last]
            self._ends[place], self._weights[place] = self._ends[last], self._weights[last]
            for marks in self._marks:
                marks.of_rows[place] = marks.of_rows[last]
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
        self._ends = np.zeros(rows)
        self._weights = np.zeros(rows)
        self._consolidated = [None, None]
        self._marks = [_Marks(np.zeros(rows, dtype=np.int32)) for _ in range(3)]
        self._places: dict[int, int] = {}

    def _load(self, connection: apsw.Connection) -> None:
        live = fetch_value(connection, "SELECT count(*) FROM memory WHERE depth > 0.0")
        self._make_room(live + live // 8 + _SPARE)
        rows = iter(connection.execute(_ROWS))
        while batch := list(itertools.islice(rows, BATCH)):
            self._append(batch)

    def _follow(self, connection: apsw.Connection, changed: Sequence[int]) -> None:
        query = f"{_ROWS} AND memory.memory_id = ?"
        for memory_id in changed:
            self._remove(memory_id)
            self._append(fetch_all(connection, query, (memory_id,)))

    def _append(self, batch: Sequence[_Row]) -> None:
        if not batch:
            return
        start, end = self._used, self._used + len(batch)
        if end > len(self._ids):
            self._grow(end + end // 8 + _SPARE)
        vectors = array_of([row[1] for row in batch], self._dim)
        self._vectors[start:end] = vectors
        halves = np.einsum("ij,ij->i", vectors, vectors) / 2
        self._halves[start:end] = halves
        self._longest = max(self._longest, float(np.sqrt(2 * halves.max())))
        ids, _, weights, ends, *scopes = zip(*batch, strict=True)
        self._ids[start:end] = ids
        self._weights[start:end] = weights
        if not all(moment is None or isinstance(moment, float) for moment in ends):
            raise apsw.CorruptError("an end that is not a moment")
        self._ends[start:end] = [np.inf if moment is None else moment for moment in ends]
        for marks, given in zip(self._marks, scopes, strict=True):
            marks.put(start, given)
        self._places.update(zip(ids, range(start, end), strict=True))
        self._used = end

    def _grow(self, rows: int) -> None:
        old = self._vectors
        self._vectors, self._halves = self._wider(old, rows), self._wider(self._halves, rows)
        self._ids, self._ends = self._wider(self._ids, rows), self._wider(self._ends, rows)
        self._weights = self._wider(self._weights, rows)
        for marks in self._marks:
            marks.of_rows = self._wider(marks.of_rows, rows)
        old[: self._used] = 0.0

    def _wider(self, old: npt.NDArray[Any], rows: int) -> npt.NDArray[Any]:
        new = np.zeros((rows, *old.shape[1:]), dtype=old.dtype)
        new[: self._used] = old[: self._used]
        return new


def rounding(dim: int) -> float:
    """Twice what a product of two float32 vectors of length 1, or their distance, may be wrong by."""
    return (dim + 8) * 2.0**-22


def array_of(vectors: Sequence[bytes], dim: int) -> npt.NDArray[np.float32]:
    """The (n, dim) array of stored vectors; `apsw.CorruptError` for one of another size."""
    found = np.frombuffer(b"".join(vectors), dtype="<f4")
    if found.size != len(vectors) * dim:
        raise apsw.CorruptError("a vector of another size")
    return found.reshape(len(vectors), dim)


def exact_similarities(vectors: npt.NDArray[np.float32], wanted: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """1 - d/2 for each vector, d its distance from the one that is wanted: alike for equal vectors."""
    apart = np.subtract(vectors, wanted, dtype=np.float64)
    similarities: npt.NDArray[np.float64] = 1.0 - np.sqrt(np.einsum("ij,ij->i", apart, apart)) / 2.0
    return similarities


def ranked(
    ids: npt.NDArray[np.int64],
    similarities: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64] | None,
    k: int,
) -> list[tuple[int, float]]:
    """(memory_id, similarity) of the k best by similarity, times weight if there are any; ties by id."""
    scores = similarities if weights is None else similarities * weights
    best = np.lexsort((ids, -similarities, -scores))[:k]
    return list(zip(ids[best].tolist(), similarities[best].tolist(), strict=True))


def _kth_largest(scores: npt.NDArray[np.float32], k: int) -> float:
    """A number that at least k scores reach, as large as the best scores of blocks allow; -inf for fewer than k."""
    if len(scores) <= k:
        return -np.inf
    if len(scores) > 4 * _BLOCK * k:
        whole = len(scores) // _BLOCK * _BLOCK
        best = scores[:whole].reshape(-1, _BLOCK).max(axis=1)
    else:
        best = scores.copy()
    best.partition(len(best) - k)
    return float(best[len(best) - k])
