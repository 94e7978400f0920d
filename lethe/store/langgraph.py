"""LangGraph's long-term memory over the store: `LetheStore`, and `AsyncLetheStore`, which batches concurrent calls.

```python
from lethe.store.langgraph import LetheStore

index = {"dims": 384, "embed": my_embeddings, "fields": ["text"]}
with LetheStore.from_conn_string("memory.db", index=index) as store:
    graph = builder.compile(store=store)
```

A put under a key that is taken supersedes the older value, which stays in the file; a delete erases the key with every
value that it had. Needs the package `langgraph`, or `langgraph-checkpoint` alone.
"""

import asyncio
import functools
import logging
import threading
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from lethe.store import items, versions
from lethe.store.arguments import check_kind, finite, integer
from lethe.store.connection import is_made, made_with
from lethe.store.embedders import DEFAULT, WORDS, Embedder, named
from lethe.store.errors import LetheError, needing
from lethe.store.items import (
    Address,
    Batch,
    Embedded,
    Item,
    Namespace,
    Put,
    Vector,
    read_record,
)
from lethe.store.normalisation import is_blank
from lethe.store.receipts import PurgeReceipt
from lethe.store.store import Store

with needing("langgraph>=1"):
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        ensure_embeddings,
        get_text_at_path,
        tokenize_path,
    )
    from langgraph.store.base import Item as LangGraphItem
    from langgraph.store.base.batch import AsyncBatchedBaseStore

    from lethe.store.langchain_embeddings import Named

if TYPE_CHECKING:
    from lethe.store.keys import Key

_LOG = logging.getLogger(__name__)
_SWEEP_MINUTES = 5.0
_OWN = (DEFAULT, WORDS)
"""The names of embedders that are the store's; other names are LangGraph's own, of a provider and its model."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """Operations of a batch: what is deleted, the last put or delete at each address, and what is to be embedded."""

    operations: Sequence[Op]
    deleted: Collection[Address]
    puts: Mapping[Address, PutOp]
    said: Mapping[Address, Sequence[tuple[str, Any]]]
    queries: Sequence[str]

    def texts(self) -> list[str]:
        return list(dict.fromkeys(text for said in self.said.values() for text, _ in said))


@dataclass(frozen=True, slots=True)
class _Vectors:
    """The unit vectors of a plan; None for a text whose vector is zero."""

    of_texts: Mapping[str, Vector | None]
    of_queries: Mapping[str, Vector | None]


class _Operations:
    """What both stores have in common: their constructor, and what they do with a batch."""

    supports_ttl = True

    def _open(
        self,
        path: str | Path,
        index: Mapping[str, Any] | None,
        ttl: Mapping[str, Any] | None,
        key: "Key | str | Path | None",
        owner: str | None,
    ) -> None:
        self.index_config = None if index is None else dict(index)
        self.ttl_config = None if ttl is None else dict(ttl)
        if ttl is not None and ttl.get("default_ttl") is not None:
            finite("default_ttl", ttl["default_ttl"])
        own = None if index is None else _own(index)
        self.embeddings: Any = None if index is None else Named(own) if own else ensure_embeddings(index.get("embed"))
        if index is not None and index.get("distance_type", "cosine") != "cosine":
            raise ValueError(f"distance_type {index['distance_type']!r}: scores are cosines; leave it out")
        fields = None if index is None else index.get("fields") or index.get("text_fields")
        self._fields = [fields] if isinstance(fields, str) else list(fields or ["$"])
        self._dim, name = _vectors_in(path, index, own)
        store = Store(path, embed=self._embed_stored, dim=self._dim, key=key, embedder=name)
        if index is None and name is not None and items.has_vectors(store):
            store.close()
            raise LetheError(f"store {path} has vectors of the embedder {name}: give an index that embeds by it")
        self.items = store if owner is None else store.within(owner=owner)

    def forget(self, namespace: Namespace, key: str | None = None, *, stay_forgotten: bool = False) -> PurgeReceipt:
        """Erase a key, or all that is below a namespace, with every value that was there; returns the receipt.

        `LookupError` where nothing was told, `ValueError` for a namespace without labels. `stay_forgotten` as in
        `Store.purge`: each value that was there is refused from then on, under any key.
        """
        _check_labels(namespace)
        if not namespace:
            raise ValueError("a namespace needs a label; forget each of list_namespaces() to erase all")
        with items.writing(self.items) as batch:
            ids = batch.told_under(namespace) if key is None else batch.told([(namespace, key)])
            if not ids:
                raise LookupError(
                    f"nothing is stored under {namespace}" + ("" if key is None else f" with key {key!r}")
                )
            batch.erase(ids, stay_forgotten=stay_forgotten)
        assert batch.receipt is not None
        return batch.receipt

    def _swept(self) -> int:
        count = items.expired(self.items)
        self.items.purge_expired(with_line=True)
        return count

    def _interval(self, given: float | None) -> float:
        """Seconds between two sweeps."""
        configured = (self.ttl_config or {}).get("sweep_interval_minutes")
        return 60.0 * float(given or configured or _SWEEP_MINUTES)

    def _plan(self, operations: Iterable[Op]) -> _Plan:
        ops = list(operations)
        for op in ops:
            _check(op)
        told = [((tuple(op.namespace), str(op.key)), op) for op in ops if isinstance(op, PutOp)]
        deleted = list(dict.fromkeys(address for address, op in told if op.value is None))
        puts = dict(told)
        said = {address: self._said(op) for address, op in puts.items() if op.value is not None}
        queries = [op.query for op in ops if isinstance(op, SearchOp) and op.query and self.embeddings is not None]
        return _Plan(ops, deleted, puts, said, list(dict.fromkeys(queries)))

    def _said(self, op: PutOp) -> list[tuple[str, Any]]:
        """The texts of a value that are embedded, each with its field and its number among that field's."""
        if self.embeddings is None or op.index is False:
            return []
        fields = self._fields if op.index is None else op.index
        found = ((text, [path, n]) for path in fields for n, text in enumerate(_texts_at(op.value, path)))
        return [(text, place) for text, place in found if not is_blank(text)]

    def _vectors(self, plan: _Plan) -> _Vectors:
        texts = plan.texts()
        of_texts = self._embed_documents(texts) if texts else []
        return self._paired(plan, of_texts, [self.embeddings.embed_query(query) for query in plan.queries])

    async def _avectors(self, plan: _Plan) -> _Vectors:
        texts = plan.texts()
        of_texts = await self.embeddings.aembed_documents(texts) if texts else []
        return self._paired(plan, of_texts, [await self.embeddings.aembed_query(query) for query in plan.queries])

    def _paired(self, plan: _Plan, of_texts: Sequence[Any], of_queries: Sequence[Any]) -> _Vectors:
        units = [_units(of_texts), _units(of_queries)]
        for vector in (each for found in units for each in found if each is not None):
            if len(vector) != self._dim:
                raise ValueError(f"this file has vectors of {self._dim} numbers, the index's embed gives {len(vector)}")
        said = [plan.texts(), plan.queries]
        return _Vectors(*(dict(zip(texts, found, strict=True)) for texts, found in zip(said, units, strict=True)))

    def _embed_documents(self, texts: list[str]) -> Any:
        try:
            return self.embeddings.embed_documents(texts)
        except ValueError:
            if getattr(self.embeddings, "afunc", None) is None:
                raise
            return asyncio.run(self.embeddings.aembed_documents(texts))

    def _embed_stored(self, texts: Sequence[str]) -> Vector:
        """The vectors of texts that stand in the file, those of items among them."""
        vectors = np.tile(versions.placeholder(self._dim), (len(texts), 1))
        said = {n: text for n, stored in enumerate(texts) if (text := _embedded_text(stored)) is not None}
        if said and self.embeddings is not None:
            for n, unit in zip(said, _units(self._embed_documents(list(said.values()))), strict=True):
                vectors[n] = vectors[n] if unit is None else unit
        return vectors

    def _applied(self, plan: _Plan, vectors: _Vectors) -> list[Result]:
        """Do what a batch asks for, in one transaction: first what reads, then what writes."""
        refreshes = bool((self.ttl_config or {}).get("refresh_on_read"))
        if vectors.of_texts or vectors.of_queries:
            items.check_embedder(self.items)
        if not plan.puts and not refreshes:
            with items.looking(self.items) as batch:
                return _read(batch, plan, vectors)[0]
        with items.writing(self.items) as writing:
            results, read = _read(writing, plan, vectors)
            if refreshes:
                stale = {(item.namespace, item.key): item for item in read}
                writing.refresh([item for address, item in stale.items() if address not in plan.puts])
            doomed = writing.told(plan.deleted)
            if doomed:
                writing.erase(doomed)
            writing.put([_put(address, op, plan, vectors) for address, op in plan.puts.items() if op.value is not None])
        return results


class LetheStore(_Operations, BaseStore):
    """LangGraph's `BaseStore` in a file that can be told to forget; its async methods run in threads.

    `path`, `key`: as in `Store`. `index`: LangGraph's `IndexConfig`; `dims` is that of the file from then on, and a
    file made without an index stays without. `ttl`: LangGraph's `TTLConfig`, in minutes; what has expired is never
    returned, and `sweep_ttl` erases it. `owner`: whose items these are; those of others are neither seen nor changed.

    Attributes:
        items: the store beneath, for receipts, the log, audits and recall.
    """

    def __init__(
        self,
        path: str | Path = ":memory:",
        *,
        index: Mapping[str, Any] | None = None,
        ttl: Mapping[str, Any] | None = None,
        key: "Key | str | Path | None" = None,
        owner: str | None = None,
    ) -> None:
        self._open(path, index, ttl, key, owner)
        self._sweeper: threading.Thread | None = None
        self._is_over = threading.Event()

    @classmethod
    @contextmanager
    def from_conn_string(cls, conn_string: str, **given: Any) -> Iterator[Self]:
        """The store of a file, closed at the end; the arguments are those of the constructor."""
        with cls(conn_string, **given) as store:
            yield store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def setup(self) -> None:
        """Do nothing: a store is ready when it is open. LangGraph's other stores have such a method."""

    def close(self) -> None:
        """End the sweeper and close the file."""
        self.stop_ttl_sweeper()
        self.items.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do all of it in one transaction, with one call of the embedder; see LangGraph's `BaseStore.batch`."""
        plan = self._plan(ops)
        return self._applied(plan, self._vectors(plan))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """`batch`, in a thread."""
        plan = self._plan(ops)
        return await asyncio.to_thread(self._applied, plan, await self._avectors(plan))

    def sweep_ttl(self) -> int:
        """Erase the items that have expired, with every value that they had; returns how many items these were."""
        return self._swept()

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Sweep in a thread from now on, every five minutes by default."""
        if self.ttl_config is None or self._sweeper is not None:
            return
        self._is_over.clear()
        seconds = self._interval(sweep_interval_minutes)
        self._sweeper = threading.Thread(target=self._sweep, args=(seconds,), daemon=True, name="lethe-ttl-sweeper")
        self._sweeper.start()

    def _sweep(self, seconds: float) -> None:
        while not self._is_over.wait(seconds):
            _logged(self._swept)

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """End the sweeper; returns whether it has ended within so many seconds."""
        sweeper, self._sweeper = self._sweeper, None
        self._is_over.set()
        if sweeper is not None:
            sweeper.join(timeout)
        return sweeper is None or not sweeper.is_alive()


class AsyncLetheStore(_Operations, AsyncBatchedBaseStore):
    """`LetheStore` for a running event loop: calls made together become one batch, in a thread of its own.

    To be made within the loop. Its synchronous methods are for other threads.
    """

    def __init__(
        self,
        path: str | Path = ":memory:",
        *,
        index: Mapping[str, Any] | None = None,
        ttl: Mapping[str, Any] | None = None,
        key: "Key | str | Path | None" = None,
        owner: str | None = None,
    ) -> None:
        super().__init__()
        self._open(path, index, ttl, key, owner)
        self._sweeper: asyncio.Task[None] | None = None

    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, conn_string: str, **given: Any) -> AsyncIterator[Self]:
        """The store of a file, closed at the end; the arguments are those of the constructor."""
        async with cls(conn_string, **given) as store:
            yield store

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.aclose()

    async def setup(self) -> None:
        """Do nothing: a store is ready when it is open. LangGraph's other stores have such a method."""

    async def aclose(self) -> None:
        """End the sweeper and close the file."""
        await self.stop_ttl_sweeper()
        await asyncio.to_thread(self.items.close)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """`abatch`, from another thread than the event loop's; `asyncio.InvalidStateError` in that one."""
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            running = None
        if running is self._loop:
            raise asyncio.InvalidStateError("synchronous calls would block the event loop; use abatch, aget, aput …")
        return asyncio.run_coroutine_threadsafe(self.abatch(ops), self._loop).result()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do all of it in one transaction, with one call of the embedder; see LangGraph's `BaseStore.abatch`."""
        plan = self._plan(ops)
        return await asyncio.to_thread(self._applied, plan, await self._avectors(plan))

    async def aput(self, namespace: Namespace, key: str, *given: Any, **named: Any) -> None:
        """Store a value under a key; see LangGraph's `BaseStore.aput`."""
        await super().aput(namespace, _Key(key), *given, **named)

    async def adelete(self, namespace: Namespace, key: str) -> None:
        """Erase a key with every value that was there; see LangGraph's `BaseStore.adelete`."""
        await super().adelete(namespace, _Key(key))

    async def aforget(
        self, namespace: Namespace, key: str | None = None, *, stay_forgotten: bool = False
    ) -> PurgeReceipt:
        """`forget`, in a thread."""
        return await asyncio.to_thread(self.forget, namespace, key, stay_forgotten=stay_forgotten)

    async def sweep_ttl(self) -> int:
        """Erase the items that have expired, with every value that they had; returns how many items these were."""
        return await asyncio.to_thread(self._swept)

    async def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Sweep in a task from now on, every five minutes by default."""
        if self.ttl_config is not None and self._sweeper is None:
            self._sweeper = asyncio.create_task(self._sweep(self._interval(sweep_interval_minutes)))

    async def _sweep(self, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            await asyncio.to_thread(_logged, self._swept)

    async def stop_ttl_sweeper(self) -> None:
        """End the sweeper."""
        sweeper, self._sweeper = self._sweeper, None
        if sweeper is not None:
            sweeper.cancel()
            await asyncio.gather(sweeper, return_exceptions=True)


class _Key(str):
    """A key that is equal to none, so that LangGraph keeps what comes first of two changes of one key in a batch."""

    __slots__ = ()
    __eq__ = object.__eq__
    __hash__ = object.__hash__


def _check(op: Op) -> None:
    """Raise `TypeError` for labels, numbers of rows and values that are none, `ValueError` for a label or a time."""
    if isinstance(op, GetOp | PutOp):
        _check_labels(op.namespace)
    if isinstance(op, SearchOp):
        _check_labels(op.namespace_prefix)
        check_kind("a query", op.query or "", str)
        check_kind("a filter", op.filter or {}, Mapping)
    if isinstance(op, PutOp):
        if op.value is not None and not isinstance(op.value, Mapping):
            raise TypeError(f"a value must be a dict, not {op.value!r:.80}")
        if op.ttl is not None:
            finite("ttl", op.ttl)
    if isinstance(op, SearchOp | ListNamespacesOp):
        integer("limit", op.limit)
        integer("offset", op.offset)
    if isinstance(op, ListNamespacesOp) and op.max_depth is not None:
        integer("max_depth", op.max_depth)


def _check_labels(namespace: Namespace) -> None:
    """`TypeError` for what is no tuple or list, `ValueError` for labels that another namespace could be meant by."""
    if not isinstance(namespace, tuple | list):
        raise TypeError(f"a namespace must be a tuple of labels, not {namespace!r:.80}")
    if namespace:
        items.session_of(tuple(namespace))


def _own(index: Mapping[str, Any]) -> Embedder | None:
    """The store's embedder that an index names; `ValueError` if its vectors have not as many numbers as it says."""
    name = index.get("embed")
    if not isinstance(name, str) or name not in _OWN:
        return None
    own = named(name)
    if index.get("dims", own.dim) != own.dim:
        raise ValueError(f"dims {index['dims']!r}: vectors of {name} have {own.dim} numbers; leave it out")
    return own


def _vectors_in(path: str | Path, index: Mapping[str, Any] | None, own: Embedder | None) -> tuple[int, str | None]:
    """How long the vectors in the file are, and the name of their embedder.

    A file without an index has vectors of one number, unless it has an embedder, as one that an import has made.
    """
    if own is not None:
        return own.dim, own.name
    if index is not None:
        return int(index["dims"]), None
    dim, name = made_with(path) if is_made(path) else (1, None)
    return (1, None) if name is None else (dim, name)


def _texts_at(value: Any, path: str) -> list[str]:
    texts: list[str] = get_text_at_path(value, path if path == "$" else _tokens(path))
    return texts


@functools.lru_cache
def _tokens(path: str) -> list[str]:
    return list(tokenize_path(path))


def _read(batch: Batch, plan: _Plan, vectors: _Vectors) -> tuple[list[Result], list[Item]]:
    """The results of a batch, and the items whose time to live is to count from now."""
    found = batch.get(list({(tuple(op.namespace), op.key) for op in plan.operations if isinstance(op, GetOp)}))
    results: list[Result] = []
    read: list[Item] = []
    for op in plan.operations:
        told: list[Item] = []
        if isinstance(op, GetOp):
            item = found.get((tuple(op.namespace), op.key))
            told = [] if item is None else [item]
            results.append(None if item is None else LangGraphItem(**_shown(item)))
        elif isinstance(op, SearchOp):
            scored = _searched(batch, op, vectors.of_queries.get(op.query) if op.query else None)
            told = [item for item, _ in scored]
            results.append([SearchItem(**_shown(item), score=score) for item, score in scored])
        elif isinstance(op, ListNamespacesOp):
            results.append(_listed(batch.namespaces(), op))
        elif isinstance(op, PutOp):
            results.append(None)
        else:
            raise ValueError(f"Unknown operation type: {type(op)}")
        if getattr(op, "refresh_ttl", False):
            read += told
    return results, read


def _searched(batch: Batch, op: SearchOp, vector: Vector | None) -> list[tuple[Item, float | None]]:
    prefix, given = tuple(op.namespace_prefix), op.filter or {}
    if vector is not None:
        return batch.nearest(vector, prefix, given, op.limit, op.offset)
    return [(item, None) for item in batch.listed(prefix, given, op.limit, op.offset)]


def _listed(namespaces: Sequence[Namespace], op: ListNamespacesOp) -> list[Namespace]:
    met = list(namespaces)
    for condition in op.match_conditions or ():
        met = [each for each in met if _matches(each, condition)]
    shown = met if op.max_depth is None else sorted({each[: op.max_depth] for each in met})
    return shown[op.offset : op.offset + op.limit]


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return len(path) <= len(namespace) and all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))


def _shown(item: Item) -> dict[str, Any]:
    return {
        "value": item.value,
        "key": item.key,
        "namespace": item.namespace,
        "created_at": datetime.fromtimestamp(item.created_at, UTC),
        "updated_at": datetime.fromtimestamp(item.updated_at, UTC),
    }


def _put(address: Address, op: PutOp, plan: _Plan, vectors: _Vectors) -> Put:
    said = ((text, place, vectors.of_texts[text]) for text, place in plan.said[address])
    embedded = [Embedded(text, place, vector) for text, place, vector in said if vector is not None]
    ttl = None if op.ttl is None else 60.0 * finite("ttl", op.ttl)
    return Put(*address, op.value, embedded, ttl)


def _units(given: Sequence[Any]) -> list[Vector | None]:
    """Vectors at length 1; None for one that is zero."""
    if not len(given):
        return []
    vectors = np.asarray(given, dtype=np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    if not np.isfinite(lengths).all():
        raise ValueError("the index's embed gives a vector without a finite length")
    units = (vectors / np.where(lengths > 0, lengths, 1.0)[:, None]).astype("<f4")
    return [unit if length > 0 else None for unit, length in zip(units, lengths.tolist(), strict=True)]


def _embedded_text(stored: str) -> str | None:
    """What was embedded of a stored text: of an item the part that it names, None where there was none."""
    record = read_record(stored)
    if record is None:
        return stored
    if "at" not in record:
        return None
    path, number = record["at"]
    return str(_texts_at(record["value"], path)[number])


def _logged(sweep: Callable[[], int]) -> None:
    """Sweep; a sweep that fails is told in the log and tried again the next time."""
    try:
        sweep()
    except (LetheError, ValueError):
        _LOG.exception("expired items could not be erased")
