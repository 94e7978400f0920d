"""Earlier states of a store, replayed from its event log into a temporary one in memory."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lethe.store import history
from lethe.store.database import Database


class Past:
    """The earlier states of `database`, of which the last one asked for is kept."""

    def __init__(self, database: Database, *, dim: int) -> None:
        self._database = database
        self._dim = dim
        self._key: tuple[int, int] | None = None
        self._replayed: Database | None = None
        self._using = threading.RLock()

    @contextmanager
    def state(self, seq: int) -> Iterator[Database]:
        """The state after event `seq` (0: before the first), without what has been purged since. Only for reading.

        One thread at a time has one. `ValueError` for an event that has not happened yet.
        """
        with self._using:
            yield self._state(seq)

    def _state(self, seq: int) -> Database:
        # Another connection may have purged what is cached here; this one calls `forget` when it purges.
        key = (seq, self._database.changes_by_others())
        if self._replayed is None or key != self._key:
            self.forget()
            self._replayed, self._key = self._replay(seq), key
        return self._replayed

    def _replay(self, seq: int) -> Database:
        with self._database.reading() as source:
            last_seq = history.last_seq(source)
            if not 0 <= seq <= last_seq:
                raise ValueError(f"there is no event {seq}; the last one is {last_seq}")
            present = self._database
            replayed = Database(
                ":memory:", dim=self._dim, name=present.name, words=present.words, index=present.index.kind
            )
            with replayed.writing() as target:
                history.replay(source, target, seq)
        return replayed

    def notice(self) -> None:
        """Discard the state that is kept, if another connection has changed the file since it was asked for.

        Not while another thread has one: it is discarded when that asks, or another, again.
        """
        if self._replayed is None or not self._using.acquire(blocking=False):
            return
        try:
            if self._key is not None and self._key[1] != self._database.changes_by_others():
                self.forget()
        finally:
            self._using.release()

    def held(self) -> threading.RLock:
        """A lock that keeps other threads from the states, taken before that of the database."""
        return self._using

    def forget(self) -> None:
        """Discard the state that is kept."""
        with self._using:
            if self._replayed is not None:
                self._replayed.close()
            self._replayed = self._key = None
