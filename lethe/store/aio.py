"""`AsyncStore`: a store for asyncio, with one writer and several readers, which never holds up the event loop."""

import asyncio
import copy
import functools
import queue
from asyncio import get_running_loop
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from lethe.store.errors import LetheError
from lethe.store.recall import Recalled
from lethe.store.receipts import PurgeReceipt
from lethe.store.remembering import held
from lethe.store.store import Store

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Reply = Coroutine[Any, Any, _T]
_TURNS: ContextVar[tuple[asyncio.Event, ...]] = ContextVar("_TURNS", default=())
"""The transactions that the running task is in."""


class _Threads:
    """The stores that share one file: one for all that changes it, in a thread of its own, and some that read."""

    def __init__(self, path: str | Path, readers: int, options: dict[str, Any]) -> None:
        self._path, self._options = path, options
        self._writing = ThreadPoolExecutor(1, "lethe-writer")
        # What stands in memory is one store's alone.
        self._reading = self._writing if str(path) == ":memory:" else ThreadPoolExecutor(readers, "lethe-reader")
        self._idle = queue.SimpleQueue[Store]()
        self._readers: list[Store] = []
        self._writer: Store | None = None
        self._turns: list[asyncio.Event] = []
        self._closed = False

    async def write(self, call: Callable[[Store], _T]) -> _T:
        await self._turn()
        self._check_open()
        return await self._to_its_end(lambda: call(self._the_writer()))

    async def _to_its_end(self, call: Callable[[], _T]) -> _T:
        """Call in the writer's thread, also where whoever waits for it is cancelled, before it has begun too."""
        return await asyncio.shield(asyncio.wrap_future(self._writing.submit(call)))

    async def _turn(self) -> None:
        """Wait while a transaction is open that this task is not in."""
        while self._turns and not self._is_within():
            await self._turns[-1].wait()

    def _is_within(self) -> bool:
        return bool(self._turns) and self._turns[-1] in _TURNS.get()

    @asynccontextmanager
    async def transaction(self, seen: Callable[[Store], Store]) -> AsyncIterator[list[PurgeReceipt]]:
        await self._turn()
        turn, work, receipts = asyncio.Event(), ExitStack(), list[PurgeReceipt]()
        self._turns.append(turn)
        mine = _TURNS.set((*_TURNS.get(), turn))

        def end(error: BaseException | None) -> None:
            work.__exit__(type(error) if error else None, error, None)
            for receipt in receipts:
                self.let_go(receipt)

        async def ended(error: BaseException | None) -> None:
            await self._to_its_end(lambda: end(error))

        try:
            try:
                receipts = await self.write(lambda store: work.enter_context(seen(store).transaction()))
                yield receipts
            except BaseException as error:
                await ended(error)
                raise
            await ended(None)
        finally:
            self._turns.remove(turn)
            turn.set()
            _TURNS.reset(mine)

    async def read(self, call: Callable[[Store], _T]) -> _T:
        if self._writer is None:
            await self.write(lambda store: None)
        if self._reading is self._writing or self._is_within():
            return await self.write(call)
        self._check_open()
        return await get_running_loop().run_in_executor(self._reading, self._by_a_reader, call)

    async def close(self) -> None:
        self._closed = True
        await get_running_loop().run_in_executor(None, self._close)

    def _check_open(self) -> None:
        if self._closed:
            raise LetheError(f"store {self._path} is closed; open it again")

    def let_go(self, erased: PurgeReceipt | None) -> None:
        """Have the readers overwrite what they keep of these memories, of all without a receipt."""
        for reader in list(self._readers):
            reader.let_go(erased)

    def _the_writer(self) -> Store:
        if self._writer is None:
            self._options["key"] = held(self._options.get("key"), self._path)
            self._writer = Store(self._path, **self._options)
        return self._writer

    def _by_a_reader(self, call: Callable[[Store], _T]) -> _T:
        try:
            store = self._idle.get_nowait()
        except queue.Empty:
            store = Store(self._path, **self._options)
            self._readers.append(store)
        try:
            return call(store)
        finally:
            self._idle.put(store)

    def _close(self) -> None:
        for threads in (self._reading, self._writing):
            threads.shutdown()
        for store in (*self._readers, *filter(None, [self._writer])):
            store.close()


def _reads(method: Callable[Concatenate[Store, _P], _T]) -> Callable[Concatenate["AsyncStore", _P], _Reply[_T]]:
    @functools.wraps(method)
    async def call(self: "AsyncStore", /, *args: _P.args, **options: _P.kwargs) -> _T:
        return await self._threads.read(lambda store: method(self._seen(store), *args, **options))

    return call


def _writes(method: Callable[Concatenate[Store, _P], _T]) -> Callable[Concatenate["AsyncStore", _P], _Reply[_T]]:
    @functools.wraps(method)
    async def call(self: "AsyncStore", /, *args: _P.args, **options: _P.kwargs) -> _T:
        def act(store: Store) -> _T:
            done = method(self._seen(store), *args, **options)
            if store._database.erased is not None:
                return done
            if isinstance(done, PurgeReceipt) or method.__name__ in ("reset", "reembed"):
                self._threads.let_go(done if isinstance(done, PurgeReceipt) else None)
            return done

        return await self._threads.write(act)

    return call


class AsyncStore:
    """A `Store` whose methods are awaited: the same ones, with the same arguments, results and errors.

    All that changes the file is done by one store in one thread, in the order in which it was asked for. All that only
    reads is done by up to `readers` others (4), at the same time, each with vectors of its own in memory. The file is
    opened at the first use. An embedder that is a function is called by all these threads. A change that is cancelled
    has its effect all the same, unless it still waits for another task's transaction. A store in memory (":memory:")
    has no readers, and takes turns.

    Example:
        >>> async with AsyncStore("memory.db", key="lethe.key") as store:  # doctest: +SKIP
        ...     await store.inscribe("Ines keeps the spare key at the bakery.")
        ...     await store.recall("where is the spare key?", k=5)
    """

    def __init__(self, path: str | Path = ":memory:", *, readers: int = 4, **options: Any) -> None:
        if readers < 1:
            raise ValueError(f"readers must be at least 1, not {readers}")
        self._threads = _Threads(path, readers, options)
        self._scopes: tuple[dict[str, str | None], ...] = ()

    async def __aenter__(self) -> Self:
        await self.last_seq()
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the file, once what is under way is done."""
        await self._threads.close()

    def within(
        self,
        *,
        owner: str | None = None,
        session: str | None = None,
        source: str | None = None,
        actor: str | None = None,
        reason: str | None = None,
    ) -> Self:
        """The same store, seen within a scope, as `Store.within`; a wrong scope is an error of the first use."""
        view = copy.copy(self)
        given = {"owner": owner, "session": session, "source": source, "actor": actor, "reason": reason}
        view._scopes = (*self._scopes, given)
        return view

    def transaction(self) -> AbstractAsyncContextManager[list[PurgeReceipt]]:
        """Several calls as one, as `Store.transaction`, for this task and those that it starts meanwhile.

        What they read is what they have changed; other tasks read what was before, and wait with their changes.

        Example:
            >>> async with store.transaction() as receipts:  # doctest: +SKIP
            ...     await store.inscribe("Ines lives in Rome.")
            ...     await store.purge(memory)
        """
        return self._threads.transaction(self._seen)

    def _seen(self, store: Store) -> Store:
        return functools.reduce(lambda seen, scope: seen.within(**scope), self._scopes, store)

    async def recall(self, query: str, k: int = 10, *, touch: bool = False, **options: Any) -> list[Recalled]:
        """As `Store.recall`; with `touch`, by the writer."""
        recall = _TOUCHING if touch else _RECALLING
        return await recall(self, query, k, touch=touch, **options)

    forgotten = _reads(Store.forgotten)
    memory = _reads(Store.memory)
    memories = _reads(Store.memories)
    count = _reads(Store.count)
    scopes = _reads(Store.scopes)
    log = _reads(Store.log)
    last_seq = _reads(Store.last_seq)
    blame = _reads(Store.blame)
    stored_bytes = _reads(Store.stored_bytes)
    backup = _reads(Store.backup)
    selected = _reads(Store.selected)
    line = _reads(Store.line)
    doomed = _reads(Store.doomed)
    verify = _reads(Store.verify)
    verify_log = _reads(Store.verify_log)
    audit = _reads(Store.audit)
    head = _reads(Store.head)
    extension = _reads(Store.extension)
    inscribe = _writes(Store.inscribe)
    inscribe_many = _writes(Store.inscribe_many)
    inscribe_once = _writes(Store.inscribe_once)
    move_end = _writes(Store.move_end)
    load = _writes(Store.load)
    relearn = _writes(Store.relearn)
    surrender = _writes(Store.surrender)
    decay = _writes(Store.decay)
    decay_matching = _writes(Store.decay_matching)
    release = _writes(Store.release)
    release_matching = _writes(Store.release_matching)
    supersede = _writes(Store.supersede)
    supersede_matching = _writes(Store.supersede_matching)
    edit = _writes(Store.edit)
    edit_matching = _writes(Store.edit_matching)
    purge = _writes(Store.purge)
    purge_many = _writes(Store.purge_many)
    purge_matching = _writes(Store.purge_matching)
    purge_scope = _writes(Store.purge_scope)
    purge_expired = _writes(Store.purge_expired)
    receipt_of = _writes(Store.receipt_of)
    complete = _writes(Store.complete)
    scrub = _writes(Store.scrub)
    reembed = _writes(Store.reembed)
    seal = _writes(Store.seal)
    pin = _writes(Store.pin)
    unpin = _writes(Store.unpin)
    touch = _writes(Store.touch)
    consolidate = _writes(Store.consolidate)
    reset = _writes(Store.reset)


_RECALLING, _TOUCHING = _reads(Store.recall), _writes(Store.recall)
