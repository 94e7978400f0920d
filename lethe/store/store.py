"""`Store`: the public face of the memory store."""

from collections.abc import Callable, Iterable
from typing import SupportsIndex

import apsw

from lethe.store import aging, erasure, memories, selection
from lethe.store.arguments import finite, string
from lethe.store.arguments import memory_id as as_id
from lethe.store.depth import PINNED, SUBMERGED, SURFACE, sunk
from lethe.store.erasure import PurgeReceipt
from lethe.store.remembering import Remembering
from lethe.store.surrender import Surrendered, SurrenderMode, surrender


class Store(Remembering):
    """Memories in SQLite, in one file or in memory, that can be told to forget.

    `path`: a file, made (for its user alone to read) if it is missing, or ":memory:". `embed`: turns n texts into an
    (n, `dim`) float32 array of unit vectors. `clock`: seconds since the epoch. `dim` is at most 8192. `chunk_size`:
    vectors per vec0 chunk, a multiple of 8 up to 4096, fixed when a file is made.

    Every method raises `LetheError` where the user must act (a file that is locked, read-only, full, damaged
    or made with another `dim`), `LookupError` for an id that was never given out or was purged, `TypeError` for one
    that is no integer (of whatever type; a bool is none) and for a text or query that is no string, and `ValueError`
    for another wrong argument or a clock that gives no finite number; a method that raises has changed nothing. A text
    may contain NUL; it may not be blank or contain lone surrogates. A query may be any string.

    A pin protects a memory from every operation addressed by a query, except a purge. Addressed by its id, a pinned
    memory can be released, superseded, edited and purged. Decay and consolidation never move it.

    One thread at a time uses a store; several stores, also of several processes, may share a file.
    """

    def surrender(
        self, target: SupportsIndex | str, mode: SurrenderMode, *, text: str | None = None, factor: float | None = None
    ) -> Surrendered:
        """Forget by id or by query: the method named like `mode`, or its `_matching` form.

        `text` is for supersede and edit, `factor` (default 0.5) for decay.
        """
        return surrender(self, target, mode, text, factor)

    def decay(self, memory_id: SupportsIndex, factor: float) -> float:
        """Multiply the depth by `factor` in (0, 1); below 0.05 the memory is submerged. Returns the new depth."""
        factor = _checked_factor(factor)
        id = as_id(memory_id)
        with self._changing() as (connection, at):
            memories.move(connection, [id], "decay", lambda depth: sunk(depth, factor), at)
            return memories.current(connection, id).depth

    def decay_matching(self, query: str, factor: float) -> list[int]:
        """Decay the memories that `release_matching` would release; returns their ids."""
        factor = _checked_factor(factor)
        vector = self._query_vector(query)
        with self._changing() as (connection, at):
            memory_ids = selection.above_largest_gap(connection, query, vector)
            return memories.move(connection, memory_ids, "decay", lambda depth: sunk(depth, factor), at)

    def release(self, memory_id: SupportsIndex) -> None:
        """Submerge the memory: out of recall, still in the file and in the log."""
        id = as_id(memory_id)
        with self._changing() as (connection, at):
            memories.move(connection, [id], "release", lambda depth: SUBMERGED, at)

    def release_matching(self, query: str) -> list[int]:
        """Release those of 20 hybrid candidates whose similarity reaches `largest_gap_threshold`.

        Pinned candidates count towards the threshold but stay. Returns the ids released.
        """
        vector = self._query_vector(query)
        with self._changing() as (connection, at):
            memory_ids = selection.above_largest_gap(connection, query, vector)
            return memories.move(connection, memory_ids, "release", lambda depth: SUBMERGED, at)

    def supersede(self, memory_id: SupportsIndex, text: str) -> int:
        """Submerge the memory and inscribe `text` as its successor; returns the new id."""
        id, (vector,) = as_id(memory_id), self._vectors([text])
        with self._changing() as (connection, at):
            return memories.supersede(connection, id, text, vector, at)

    def supersede_matching(self, query: str, text: str) -> int:
        """Supersede the live memory whose vector is closest to the query's; returns the new id.

        If there is none, or it is pinned, the text is inscribed and nothing is superseded.
        """
        query_vector, vector = self._query_and_text(query, text)
        with self._changing() as (connection, at):
            memory_id = selection.best_match(connection, query_vector)
            if memory_id is None:
                return memories.insert(connection, [text], [vector], at)[0]
            return memories.supersede(connection, memory_id, text, vector, at)

    def edit(self, memory_id: SupportsIndex, text: str) -> None:
        """Replace the text in place: same id and depth, new version; older versions stay until a purge."""
        id, (vector,) = as_id(memory_id), self._vectors([text])
        with self._changing() as (connection, at):
            memories.edit(connection, id, text, vector, at)

    def edit_matching(self, query: str, text: str) -> int:
        """Edit the live memory whose vector is closest to the query's; returns its id.

        `LookupError` if there is none or it is pinned.
        """
        query_vector, vector = self._query_and_text(query, text)
        with self._changing() as (connection, at):
            memory_id = selection.best_match(connection, query_vector)
            if memory_id is None:
                raise LookupError("no memory to edit: the store has no live memory, or the best match is pinned")
            memories.edit(connection, memory_id, text, vector, at)
            return memory_id

    def purge(self, memory_id: SupportsIndex) -> PurgeReceipt:
        """Erase the memory: all versions of its text, its vectors, its index entries. Cannot be undone."""
        return self.purge_many([memory_id])

    def purge_many(self, memory_ids: Iterable[SupportsIndex]) -> PurgeReceipt:
        """Erase several memories in one transaction; ids that are already void are skipped."""
        ids = [as_id(memory_id) for memory_id in memory_ids]
        return self._purge(lambda connection: ids)

    def purge_matching(self, query: str) -> PurgeReceipt:
        """Erase the best of 20 live memories by BM25 (any term) and all memories with the same text.

        Two texts are the same if they are equal after NFKC, lower-casing and collapsing white space. They are looked
        for among those 20 and all submerged memories, by current text only. Pinned memories are erased too.
        """
        string("a query", query)
        return self._purge(lambda connection: selection.equal_texts(connection, query))

    def scrub(self) -> bool:
        """Rewrite indexes, statistics and file from what is left, so that nothing purged remains in them.

        Returns False while another connection still reads an older state or the disk is full; then call it again.
        Takes about 0.6 s per 100,000 memories.
        """
        return erasure.scrub(self._database)

    def verify(self, receipt: PurgeReceipt) -> bool:
        """Whether the log up to the receipt is unchanged and the memories it names no longer hold any text."""
        with self._database.reading() as connection:
            return erasure.verified(connection, receipt)

    def pin(self, memory_id: SupportsIndex) -> None:
        """Hold the memory at the top; a submerged memory comes back into recall."""
        id = as_id(memory_id)
        with self._changing() as (connection, at):
            memories.move(connection, [id], "pin", lambda depth: PINNED, at)

    def unpin(self, memory_id: SupportsIndex) -> None:
        """Return a pinned memory to the surface, 1.0; no effect on a memory that is not pinned."""
        id = as_id(memory_id)
        with self._changing() as (connection, at):
            memories.move(connection, [id], "unpin", lambda depth: min(depth, SURFACE), at)

    def touch(self, memory_ids: Iterable[SupportsIndex]) -> None:
        """Record one use of each memory, for `consolidate`; submerged memories are skipped."""
        ids = [as_id(memory_id) for memory_id in memory_ids]
        with self._changing() as (connection, at):
            for id in ids:
                memories.current(connection, id)
            aging.touch(connection, ids, at)

    def consolidate(self, now: float | None = None, *, half_life_days: float = 30.0) -> int:
        """Move live, unpinned memories according to their use since the last consolidation; returns how many moved.

        Each use halves a memory's distance to 1.0. The depth of an unused memory is halved for every half-life since
        its last use, its inscription or the last consolidation; below 0.05 it is submerged. `now` defaults to the
        clock.
        """
        half_life_days = finite("half_life_days", half_life_days)
        if half_life_days <= 0:
            raise ValueError(f"half_life_days must be positive, not {half_life_days}")
        given = None if now is None else finite("now", now)
        with self._changing() as (connection, at):
            return aging.consolidate(connection, at if given is None else given, half_life_days)

    def _purge(self, select: Callable[[apsw.Connection], Iterable[int]]) -> PurgeReceipt:
        self._past.forget()
        return erasure.purge(self._database, select, self._now)


def _checked_factor(given: float) -> float:
    factor = finite("factor", given)
    if not 0 < factor < 1:
        raise ValueError(f"factor must lie between 0 and 1, not {factor}")
    return factor
