"""The half of the store that forgets nothing: open, inscribe, recall, list, look back."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self, SupportsIndex, get_args

import apsw
import numpy as np
import numpy.typing as npt

from lethe.store import aging, history, memories
from lethe.store.arguments import check_text, finite, integer, string
from lethe.store.arguments import memory_id as as_id
from lethe.store.connection import Database
from lethe.store.history import BlameEntry, Event
from lethe.store.memories import Memory
from lethe.store.recall import MAXIMUM_K, Match, Mode, Recalled, recalled
from lethe.store.timetravel import Past

Embed = Callable[[Sequence[str]], npt.NDArray[np.float32]]
CHUNK_SIZE = 128
"""Vectors per vec0 chunk: small to allocate (196 kB at 384 numbers) and as fast to scan as the default, 1024."""


class Remembering:
    """The half of `Store` that adds and reads; `Store` says what holds for all methods."""

    def __init__(
        self,
        path: str | Path = ":memory:",
        *,
        embed: Embed,
        dim: int,
        clock: Callable[[], float] = time.time,
        chunk_size: int = CHUNK_SIZE,
    ) -> None:
        dim, chunk_size = integer("dim", dim), integer("chunk_size", chunk_size)
        if not 1 <= dim <= 8192 or not 8 <= chunk_size <= 4096 or chunk_size % 8:
            raise ValueError("dim must lie between 1 and 8192, chunk_size be a multiple of 8 up to 4096")
        self._embed = embed
        self._dim = dim
        self._clock = clock
        self._database = Database(path, dim=dim, chunk_size=chunk_size)
        self._past = Past(self._database, dim=dim, chunk_size=chunk_size)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; closing twice is harmless."""
        self._past.forget()
        self._database.close()

    def reset(self) -> None:
        """Empty the store, including its log and ids, as if it had just been made."""
        self._past.forget()
        self._database.clear()

    def inscribe(self, text: str) -> int:
        """Add one memory at the surface; returns its id."""
        return self.inscribe_many([text])[0]

    def inscribe_many(self, texts: Sequence[str]) -> list[int]:
        """Add one memory per text, in one embedding call and one transaction; returns the ids."""
        if isinstance(texts, str):
            raise TypeError(f"several texts must be a list of them, not {texts!r:.80}")
        texts = list(texts)
        if not texts:
            return []
        vectors = self._vectors(texts)
        with self._changing() as (connection, at):
            return memories.insert(connection, texts, vectors, at)

    def recall(
        self,
        query: str,
        k: SupportsIndex = 10,
        *,
        mode: Mode = "hybrid",
        match: Match | None = None,
        at: SupportsIndex | None = None,
        touch: bool = False,
    ) -> list[Recalled]:
        """The k best live memories, best first.

        `vector`: score = similarity = 1 - d/2, where d is the L2 distance. `lexical`: score = -bm25 of the query's
        words (punctuation stripped, at most 256), of which a memory needs "any" (the default of `match`) or "all".
        `hybrid`: reciprocal rank fusion (constant 60) of the k best of each; here `match` is "all" by default.
        The score of a sinking memory is multiplied by its depth; s sinking memories make the fused lists k + s long.
        Ties go to the higher similarity, then to the lower id.
        `at` recalls from the state after that event, without what has been purged since.
        `touch` records a use of the memories returned, for `consolidate`.
        """
        string("a query", query)
        number = min(integer("k", k), MAXIMUM_K)
        if number < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        if mode not in get_args(Mode) or match not in (None, *get_args(Match)):
            raise ValueError(f"unknown mode {mode!r} or match {match!r}")
        if touch and at is not None:
            raise ValueError("a memory cannot be used in the past: give either touch or at")
        vector = None if mode == "lexical" else self._query_vector(query)
        match = match or ("any" if mode == "lexical" else "all")
        with self._state(at).reading() as connection:
            found = recalled(connection, query, vector, number, mode, match)
        if touch:
            with self._changing() as (connection, now):
                aging.touch(connection, [memory.memory_id for memory in found], now)
        return found

    def memories(self, include_submerged: bool = False, *, at: SupportsIndex | None = None) -> list[Memory]:
        """The live memories in order of id; with `include_submerged`, all that are not void. `at` as in `recall`."""
        with self._state(at).reading() as connection:
            return memories.listed(connection, include_submerged=include_submerged)

    def count(self, include_submerged: bool = False) -> int:
        """The number of memories that `memories` would return."""
        with self._database.reading() as connection:
            return memories.counted(connection, include_submerged=include_submerged)

    def log(self, memory_id: SupportsIndex | None = None) -> list[Event]:
        """The events in order: all of them, or those of one memory, even a purged one."""
        id = None if memory_id is None else as_id(memory_id)
        with self._database.reading() as connection:
            found = history.events(connection, id)
            if id is not None and not found:
                raise LookupError(f"there is no memory {id}")
            return found

    def last_seq(self) -> int:
        """The number of the last event, 0 before the first; keep it for a later `at`."""
        with self._database.reading() as connection:
            return history.head(connection)[0]

    def blame(self, memory_id: SupportsIndex) -> list[BlameEntry]:
        """The memories that led to this one by supersession, oldest first, itself last."""
        id = as_id(memory_id)
        with self._database.reading() as connection:
            return history.blame(connection, id)

    def stored_bytes(self) -> bytes:
        """The whole database as the bytes of a database file, in which to look for residue."""
        return self._database.serialized()

    @contextmanager
    def _changing(self) -> Iterator[tuple[apsw.Connection, float]]:
        """A transaction, and the moment of what happens in it: no other store's events come between the two."""
        with self._database.writing() as connection:
            yield connection, self._now()

    def _now(self) -> float:
        try:
            moment = self._clock()
        except Exception as error:
            raise ValueError(f"the clock has no moment: {error!r:.80}") from error
        return finite("the clock's moment", moment)

    def _state(self, at: SupportsIndex | None) -> Database:
        return self._database if at is None else self._past.state(integer("the number of an event", at))

    def _vectors(self, texts: Sequence[str]) -> list[bytes]:
        for text in texts:
            check_text(text)
        return self._embedded(texts)

    def _query_vector(self, query: str) -> bytes:
        return self._embedded([_embeddable(query)])[0]

    def _query_and_text(self, query: str, text: str) -> tuple[bytes, bytes]:
        check_text(text)
        query_vector, vector = self._embedded([_embeddable(query), text])
        return query_vector, vector

    def _embedded(self, texts: Sequence[str]) -> list[bytes]:
        vectors = np.ascontiguousarray(self._embed(texts), dtype="<f4")
        if vectors.shape != (len(texts), self._dim) or not np.isfinite(vectors).all():
            raise ValueError(
                f"the embedder returned an array of shape {vectors.shape}; "
                f"{(len(texts), self._dim)} finite numbers were asked for"
            )
        return [vector.tobytes() for vector in vectors]


def _embeddable(query: str) -> str:
    # A lone surrogate cannot be encoded for any tokenizer: it becomes a question mark.
    return string("a query", query).encode(errors="replace").decode()
