"""Keyed JSON values in nested namespaces, each with any number of vectors, over the tables of a store.

An item is a live memory: its session is the namespace, its source the key, its text the value in a record of JSON. So
checksums, seals, log, receipts and erasure hold for keys, namespaces and values as for every memory. The first vector
of an item is its memory's; each further one has a memory of its own, a facet, which has the namespace, no key, and is
derived from the item. A value that is put under a key that is taken succeeds the older one, which stays in the file
until the key is erased.
"""

import functools
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lethe.store import erasure, history, memories, versions
from lethe.store.arguments import check_encodable, number_of_rows
from lethe.store.connection import fetch_all, fetch_value
from lethe.store.depth import SUBMERGED, SURFACE
from lethe.store.filters import Condition, conditions, joined, json_text
from lethe.store.history import Transition
from lethe.store.memories import Current
from lethe.store.receipts import PurgeReceipt
from lethe.store.scan import VectorIndex
from lethe.store.scope import Change, Kept, Sight, View
from lethe.store.store import Store
from lethe.store.tombstones import Alike

Namespace = tuple[str, ...]
Address = tuple[Namespace, str]
"""A namespace and a key in it."""
Vector = npt.NDArray[np.float32]
SEPARATOR = "."
"""Stands between the labels of a namespace in the session of its items."""
_ROUNDING = 1e-3
"""More than a product of two unit vectors of float32 is wrong by."""
_LIVE = "memory.depth > 0.0 AND memory.session IS NOT NULL"
_ITEM = f"{_LIVE} AND memory.source IS NOT NULL"
_AMONG = "memory.memory_id IN (SELECT value FROM json_each(?))"
_VERSION = "LEFT JOIN version ON version.version_id = memory.version_id"
_FROM = f"memory {_VERSION}"
_DESCRIBED = (
    f"SELECT memory.memory_id, memory.session, memory.source, {versions.TEXT}, memory.expires_at,"
    " (SELECT at FROM event WHERE event.memory_id = memory.memory_id ORDER BY seq LIMIT 1)"
)
"""What an item is made of; each text is compared with its checksum."""
_CURRENT = f"memory.memory_id, memory.version_id, memory.depth, {versions.TEXT}, memory.depth"
_NAMESPACES = """
WITH RECURSIVE named (session) AS (
    SELECT min(session) FROM memory WHERE session IS NOT NULL
    UNION ALL
    SELECT (SELECT min(session) FROM memory WHERE session > named.session) FROM named WHERE session IS NOT NULL
)
SELECT session FROM named
WHERE (SELECT max(memory_id) FROM memory WHERE memory.session = named.session AND {}) IS NOT NULL
"""
"""From one name to the next, reading of each only the memories behind its last item; with a place for conditions."""
_FIRST_LOOK = 64
"""Of how many items a filter looks at the values, before it looks at more."""
_ADDRESSED = (
    "json_each(?) AS asked CROSS JOIN memory"
    " ON memory.session = asked.value ->> 0 AND memory.source = asked.value ->> 1"
)


class Item(NamedTuple):
    """A value under a key of a namespace, with times in seconds since the epoch; `ttl` is in seconds."""

    memory_id: int
    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: float
    updated_at: float
    ttl: float | None = None
    expires_at: float | None = None


class Embedded(NamedTuple):
    """A text of a value that is searched for: where in the value it stands, as JSON, and its unit vector."""

    text: str
    place: Any
    vector: Vector


class Put(NamedTuple):
    """A value to store under a key; `ttl` in seconds, `created_at` where the item is older than this change.

    It ends at `expires_at`, or by default when its `ttl` is over from now on.
    """

    namespace: Namespace
    key: str
    value: Mapping[str, Any]
    embedded: Sequence[Embedded] = ()
    ttl: float | None = None
    created_at: float | None = None
    expires_at: float | None = None


def session_of(namespace: Namespace) -> str:
    """How a namespace stands in the file; `ValueError` without labels, or for one that is empty or has a dot."""
    for label in namespace:
        if not isinstance(label, str) or not label or SEPARATOR in label:
            raise ValueError(f"a label of a namespace is a string with no dot in it, and not empty: not {label!r:.80}")
        check_encodable("a label of a namespace", label)
    if not namespace:
        raise ValueError("a namespace needs a label")
    return SEPARATOR.join(namespace)


def record(value: Mapping[str, Any], place: Any = None, created: float | None = None, ttl: float | None = None) -> str:
    """A value as the text of its memory; `place` is that of its first vector; `ValueError` for what is not JSON."""
    content = {"value": dict(value), "at": place, "created": created, "ttl": ttl}
    return json_text({name: part for name, part in content.items() if part is not None})


def read_record(text: str) -> dict[str, Any] | None:
    """What `record` was given, by its names in the file; None for another text."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) and isinstance(content.get("value"), dict) else None


def alike(text: str) -> list[str]:
    """What stays forgotten with the text of an item: its value alone, whenever it was told and however it is found."""
    content = read_record(text)
    if content is None:
        return []
    try:
        said = record(content["value"])
    except ValueError:
        return []  # what is in no item: a text of another kind, or one that was changed in the file
    return [said]


@contextmanager
def looking(store: Store) -> Iterator["Batch"]:
    """One view of the items of a store, over several operations that read."""
    with store._seeing(store._database) as view:
        yield Batch(view)


@contextmanager
def writing(store: Store, alike: Alike = alike) -> Iterator["Writing"]:
    """One transaction over several operations; what it erased has its receipt when it is over.

    `alike`: what stays forgotten with the text of an item, and is refused with it.
    """
    with store._erasing() as (change, done):
        store._database.seals.check(change.connection, whole=True)
        batch = Writing(change, store, alike)
        yield batch
        done += [] if batch.receipt is None else [batch.receipt]
    batch.receipt = done[0] if done else None


def check_embedder(store: Store) -> None:
    """`LetheError` if the embedder gives another vector for a stored text than the one that is stored."""
    if not store._database.same_embedder:
        store._check_embedder()


def has_vectors(store: Store) -> bool:
    """Whether a text in the file has a vector of its own."""
    with store._database.reading() as connection:
        return versions.oldest(connection) is not None


def expired(store: Store) -> int:
    """The number of items that have expired and are in the file."""
    with store._database.reading() as connection:
        condition, bindings = Sight(store._scope).condition()
        query = f"SELECT count(*) FROM memory WHERE {_ITEM} AND expires_at <= ? AND {condition}"
        return int(fetch_value(connection, query, (store._now(), *bindings)))


class Batch:
    """What can be asked of the items in one transaction."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._counts = view.sight.condition()
        self._searched: dict[tuple[Namespace, tuple[Condition, ...]], _Candidates] = {}
        self._told_under: dict[Namespace, tuple[list[int], list[int]]] = {}
        self._namespaces: list[Namespace] | None = None

    def _read_again(self) -> None:
        """Let go of what was read before a change."""
        self._searched.clear()
        self._told_under.clear()
        self._namespaces = None

    def get(self, asked: Collection[Address]) -> dict[Address, Item]:
        """The items at these addresses, as far as they are there."""
        items = (_item(*row) for row in self._rows_at(asked, _DESCRIBED))
        return {(item.namespace, item.key): item for item in items}

    def _rows_at(self, asked: Collection[Address], selected: str) -> list[tuple[Any, ...]]:
        if not asked:
            return []
        condition, bindings = self._counts
        query = f"{selected} FROM {_ADDRESSED} {_VERSION} WHERE {_ITEM} AND {condition}"
        return self._rows(query, (_pairs(asked), *bindings))

    def vectors(self, items: Iterable[Item]) -> dict[int, Vector]:
        """The first vector of each of these items that has one, by the id of its memory."""
        query = (
            f"SELECT memory.memory_id, version.vector FROM {_FROM}"
            f" WHERE {_AMONG} AND json_type(version.text, '$.at') IS NOT NULL"
        )
        rows = self._rows(query, (json.dumps([item.memory_id for item in items]),))
        return {memory_id: np.frombuffer(vector, "<f4") for memory_id, vector in rows}

    def listed(self, prefix: Namespace, given: Mapping[str, Any], limit: int, offset: int) -> list[Item]:
        """The items under a prefix that meet a filter, the one that was told last first; -1 for no limit."""
        most, passed = number_of_rows(limit), max(0, number_of_rows(offset))
        found, _ = self._under(prefix)
        if given:
            found = self._meeting(found, given, None if most < 0 else passed + most)
        return self._described(found[passed:] if most < 0 else found[passed : passed + most])

    def _under(self, prefix: Namespace) -> tuple[list[int], list[int]]:
        """The items under a prefix, and their facets, the one that was told last first."""
        if prefix not in self._told_under:
            where, bindings = joined("AND", [(_LIVE, ()), _under(prefix), self._counts])
            query = f"SELECT memory.memory_id, memory.source IS NULL FROM memory WHERE {where}"
            parts: tuple[list[int], list[int]] = [], []
            for memory_id, is_facet in sorted(self._rows(query, bindings), reverse=True):
                parts[is_facet].append(memory_id)
            self._told_under[prefix] = parts
        return self._told_under[prefix]

    def _meeting(self, memory_ids: Sequence[int], given: Mapping[str, Any], enough: int | None) -> list[int]:
        """The first of these items that meet a filter, in this order; at least so many, if there are, or all."""
        where, bindings = joined("AND", [(_AMONG, ()), *conditions("version.text", "$.value", given)])
        query = f"SELECT memory.memory_id FROM {_FROM} WHERE {where}"
        found: list[int] = []
        start, size = 0, _FIRST_LOOK
        while start < len(memory_ids) and (enough is None or len(found) < enough):
            looked_at = memory_ids[start : start + size]
            met = {memory_id for (memory_id,) in self._rows(query, (json.dumps(looked_at), *bindings))}
            found += [memory_id for memory_id in looked_at if memory_id in met]
            start, size = start + size, 2 * size
        return found

    def nearest(
        self, vector: Vector, prefix: Namespace, given: Mapping[str, Any], limit: int, offset: int
    ) -> list[tuple[Item, float | None]]:
        """The same items by the cosine of the nearest of their vectors; then those without any, with None."""
        candidates = self._candidates(prefix, given)
        limit = number_of_rows(limit) if limit >= 0 else candidates.size
        offset = max(0, number_of_rows(offset))
        page: list[tuple[int, float | None]] = [*candidates.best(vector, offset + limit)]
        page += [(memory_id, None) for memory_id in candidates.without_vector[: offset + limit - len(page)]]
        del page[:offset]
        items = self._described([memory_id for memory_id, _ in page])
        return [(item, score) for item, (_, score) in zip(items, page, strict=True)]

    def _candidates(self, prefix: Namespace, given: Mapping[str, Any]) -> "_Candidates":
        asked = prefix, tuple(conditions("version.text", "$.value", given))
        if asked not in self._searched:
            found, facets = self._under(prefix)
            if given:
                found = self._meeting(found, given, None)
            places = {memory_id: place for place, memory_id in enumerate(found)} if facets else {}
            pairs = [(places[item], facet) for item, facet in self._facets(_AMONG, facets) if item in places]
            index = self._view.index
            index.catch_up(self._view.connection)
            ids = [*found, *(facet for _, facet in pairs)]
            vectors = index.vectors(ids)
            without = self._without_vector(found, vectors)
            of_rows = [*range(len(found)), *(place for place, _ in pairs)]
            self._searched[asked] = _Candidates(index, found, without, ids, vectors, of_rows)
        return self._searched[asked]

    def _without_vector(self, memory_ids: Sequence[int], vectors: Vector) -> list[int]:
        """The places of the items that have none; only those that the placeholder may stand for are read."""
        may_be = np.flatnonzero(vectors[: len(memory_ids), 0] == 1.0).tolist()
        query = f"SELECT memory.memory_id FROM {_FROM} WHERE {_AMONG} AND json_type(version.text, '$.at') IS NULL"
        asked = json.dumps([memory_ids[place] for place in may_be])
        found = {memory_id for (memory_id,) in self._rows(query, (asked,))} if may_be else set()
        return [place for place in may_be if memory_ids[place] in found]

    def namespaces(self) -> list[Namespace]:
        """The namespaces of all items, in order."""
        if self._namespaces is None:
            self._namespaces = self._all_namespaces()
        return self._namespaces

    def _all_namespaces(self) -> list[Namespace]:
        condition, bindings = self._counts
        rows = self._rows(_NAMESPACES.format(f"{_ITEM} AND {condition}"), bindings)
        return sorted(tuple(session.split(SEPARATOR)) for (session,) in rows)

    def told(self, asked: Collection[Address]) -> list[int]:
        """Every memory at these addresses that is not void: those that were superseded or have expired too."""
        condition, bindings = Sight(self._view.sight.scope).condition()
        query = f"SELECT memory.memory_id FROM {_ADDRESSED} WHERE memory.depth IS NOT NULL AND {condition}"
        return [memory_id for (memory_id,) in self._rows(query, (_pairs(asked), *bindings))]

    def told_meeting(
        self, prefix: Namespace, given: Mapping[str, Any], only: Callable[[Item], bool] | None = None
    ) -> list[int]:
        """Every memory under a prefix that meets a filter and a test, and all that was at the key of an item that does.

        What was superseded is among them even where what stands at its key does not meet them.
        """
        told = ("memory.depth IS NOT NULL AND memory.source IS NOT NULL", ())
        where, bindings = joined("AND", [told, _under(prefix), Sight(self._view.sight.scope).condition()])
        rows = self._rows(f"SELECT memory_id, session, source, depth > 0.0 FROM memory WHERE {where}", bindings)
        met = set(self._meeting([memory_id for memory_id, *_ in rows], given, None))
        if only is not None:
            met = {item.memory_id for item in self._described(list(met)) if only(item)}
        items = [(session, key) for memory_id, session, key, is_live in rows if is_live and memory_id in met]
        at_keys = self.told([(tuple(session.split(SEPARATOR)), key) for session, key in items])
        return sorted(met.union(at_keys))

    def told_under(self, prefix: Namespace) -> list[int]:
        """Every memory under a prefix that is not void."""
        conditions = (_under(prefix), Sight(self._view.sight.scope).condition())
        where, bindings = joined("AND", [("memory.depth IS NOT NULL AND memory.session IS NOT NULL", ()), *conditions])
        return [memory_id for (memory_id,) in self._rows(f"SELECT memory_id FROM memory WHERE {where}", bindings)]

    def _rows(self, query: str, bindings: Sequence[Any]) -> list[tuple[Any, ...]]:
        return fetch_all(self._view.connection, query, bindings)

    def _described(self, memory_ids: Sequence[int]) -> list[Item]:
        """The items with these ids, in this order."""
        rows = self._rows(f"{_DESCRIBED} FROM {_FROM} WHERE {_AMONG}", (json.dumps(memory_ids),))
        found = {row[0]: _item(*row) for row in rows}
        return [found[memory_id] for memory_id in memory_ids]

    def _facets(self, condition: str, memory_ids: Collection[int]) -> list[tuple[int, int]]:
        """Each item that has facets with each of them, as far as a condition holds with these ids."""
        if not memory_ids:
            return []
        return self._rows(
            "SELECT event.memory_id, event.successor_id FROM memory JOIN event ON event.successor_id = memory.memory_id"
            " WHERE event.operation = 'derive' AND memory.depth > 0.0 AND memory.session IS NOT NULL"
            f" AND memory.source IS NULL AND {condition} ORDER BY event.seq",
            (json.dumps(list(memory_ids)),),
        )

    def _facets_of(self, memory_ids: Collection[int]) -> list[tuple[int, int]]:
        return self._facets("event.memory_id IN (SELECT value FROM json_each(?))", memory_ids)


class _Candidates:
    """The vectors among which a search looks for the nearest, each with the place of the item that it is of."""

    def __init__(
        self,
        index: VectorIndex,
        items: Sequence[int],
        without: Sequence[int],
        ids: Sequence[int],
        vectors: Vector,
        of_rows: Sequence[int],
    ) -> None:
        self.size = len(items)
        self.without_vector = [items[place] for place in without]
        self._index = index
        self._items, self._without = items, list(without)
        self._ids, self._vectors = ids, vectors
        self._of_rows = np.array(of_rows, dtype=np.int64)

    def best(self, vector: Vector, k: int) -> list[tuple[int, float]]:
        """The k items with the largest cosines, of the nearest of their vectors; ties by id.

        The product is rounded, so it tells which may be among them, and their distances are computed one by one.
        """
        if k < 1:
            return []
        products = self._vectors @ vector
        products[self._without] = -np.inf
        rounded = products[: len(self._items)]
        if len(products) > len(rounded):
            rounded = rounded.copy()
            np.maximum.at(rounded, self._of_rows, products)
        least = -np.inf if len(rounded) <= k else np.partition(rounded, len(rounded) - k)[len(rounded) - k]
        rows = np.flatnonzero((products >= least - _ROUNDING) & (products > -np.inf))
        near = self._index.similarities(vector.tobytes(), [self._ids[row] for row in rows.tolist()])
        found: dict[int, float] = {}
        for row in rows.tolist():
            item, cosine = self._items[self._of_rows[row]], 1.0 - 2.0 * (1.0 - near[self._ids[row]]) ** 2
            found[item] = max(cosine, found.get(item, -1.0))
        return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:k]


class Writing(Batch):
    """What can be asked of the items, and done with them, in one transaction.

    Attributes:
        receipt: of what was erased, complete when the transaction is over; None if nothing was.
    """

    def __init__(self, change: Change, store: Store, alike: Alike) -> None:
        super().__init__(change)
        self._change = change
        self._store = store
        self._alike = alike
        self.receipt: PurgeReceipt | None = None

    def put(self, puts: Sequence[Put]) -> None:
        """Store values at addresses that all differ, each as the successor of what stands there.

        `StaysForgotten` for what was erased to stay forgotten.
        """
        self._put(puts, told_anew=True)

    def _put(self, puts: Sequence[Put], *, told_anew: bool) -> None:
        self._read_again()
        addresses = [(each.namespace, each.key) for each in puts]
        standing: dict[Address, Item] = {}
        submerged: dict[int, Current] = {}
        for row in self._rows_at(addresses, f"{_DESCRIBED}, memory.version_id, memory.depth"):
            *described, version_id, depth = row
            item = _item(*described)
            standing[item.namespace, item.key] = item
            submerged[item.memory_id] = Current(item.memory_id, version_id, depth, row[3], depth)
        rows: list[tuple[str, Vector, Kept]] = []
        facets: list[tuple[int, tuple[str, Vector, Kept]]] = []
        for number, (address, each) in enumerate(zip(addresses, puts, strict=True)):
            before = standing.get(address)
            own, *others = self._told(each, before)
            rows.append(own)
            facets += [(number, other) for other in others]
        rows += [row for _, row in facets]
        if not rows:
            return
        texts, vectors, kept = zip(*rows, strict=True)
        if told_anew:
            self._store._refuse_forgotten(self._change, texts, self._alike)
        given = [vector.tobytes() for vector in vectors]
        ids = memories.insert(self._change.connection, texts, given, self._change.at, kept)
        owners = [ids[number] for number, _ in facets]
        self._derive(list(zip(owners, ids[len(puts) :], strict=True)))
        pairs = zip(addresses, ids, strict=False)
        self._succeed({standing[address].memory_id: new for address, new in pairs if address in standing}, submerged)

    def refresh(self, items: Sequence[Item]) -> None:
        """Have the time to live of these items count from now, where that moves their end by a hundredth of it."""
        items = [item for item in items if self._is_worth_it(item)]
        facets: dict[int, list[int]] = {item.memory_id: [] for item in items}
        for owner, facet in self._facets_of(facets):
            facets[owner].append(facet)
        among = json.dumps([memory_id for owner, others in facets.items() for memory_id in (owner, *others)])
        query = f"SELECT memory.memory_id, {versions.TEXT}, version.vector FROM {_FROM} WHERE {_AMONG}"
        told = {
            memory_id: (text, np.frombuffer(vector, "<f4")) for memory_id, text, vector in self._rows(query, (among,))
        }
        puts = []
        for item in items:
            text, vector = told[item.memory_id]
            place = (read_record(text) or {}).get("at")
            embedded = [] if place is None else [Embedded(text, place, vector)]
            embedded += [Embedded(said, None, vector) for said, vector in map(told.__getitem__, facets[item.memory_id])]
            puts.append(Put(item.namespace, item.key, item.value, embedded, item.ttl, item.created_at))
        # What stands is not told again, and another item with the same value may have been erased to stay forgotten.
        self._put(puts, told_anew=False)

    def erase(self, memory_ids: Sequence[int], *, stay_forgotten: bool = False) -> None:
        """Erase memories with their line: facets, what they superseded, what was derived from either.

        With `stay_forgotten`, each value that was there, and what is alike, is refused from then on, under any key.
        """
        self._read_again()
        every = replace(self._change, sight=Sight(self._change.sight.scope))
        store = self._store
        self.receipt = erasure.erase(
            every,
            store._database.name,
            memory_ids,
            store._key,
            with_line=True,
            stay_forgotten=stay_forgotten,
            alike=self._alike,
        )

    def _is_worth_it(self, item: Item) -> bool:
        if item.ttl is None or item.expires_at is None:
            return False
        return self._change.at + item.ttl - item.expires_at >= item.ttl / 100

    def _told(self, each: Put, before: Item | None) -> list[tuple[str, Vector, Kept]]:
        """The text, the vector and the scope of an item's memory and of its facets'."""
        created = each.created_at if each.created_at is not None else before.created_at if before is not None else None
        end = each.expires_at
        if end is None and each.ttl is not None:
            end = self._change.at + each.ttl
        check_encodable("a key", each.key)
        kept = Kept(self._change.sight.scope.owner, session_of(each.namespace), each.key, end)
        first, *others = each.embedded or [Embedded("", None, self._placeholder)]
        own = (record(each.value, first.place, created, each.ttl), first.vector, kept)
        return [own, *((other.text, other.vector, kept._replace(source=None)) for other in others)]

    @functools.cached_property
    def _placeholder(self) -> Vector:
        return versions.placeholder(fetch_value(self._change.connection, "SELECT dim FROM store"))

    def _derive(self, pairs: Sequence[tuple[int, int]]) -> None:
        if not pairs:
            return
        found = self._current([owner for owner, _ in pairs])
        derived = [
            Transition("derive", owner, SURFACE, SURFACE, found[owner].version_id, facet) for owner, facet in pairs
        ]
        history.append(self._change.connection, self._change.at, derived)

    def _succeed(self, successors: Mapping[int, int], current: Mapping[int, Current]) -> None:
        """Submerge items, given as they are, each with its facets, behind what succeeds them."""
        facets = [facet for _, facet in self._facets_of(successors)]
        found = {**current, **self._current(facets)}
        memories.place(self._change.connection, [(each, SUBMERGED) for each in found.values()])
        moved = [
            Transition("supersede", old, found[old].depth, SUBMERGED, found[old].version_id, new)
            for old, new in successors.items()
        ]
        moved += [Transition("release", old, found[old].depth, SUBMERGED, found[old].version_id) for old in facets]
        history.append(self._change.connection, self._change.at, moved)

    def _current(self, memory_ids: Sequence[int]) -> dict[int, Current]:
        query = f"SELECT {_CURRENT} FROM {_FROM} WHERE {_AMONG}"
        rows = self._rows(query, (json.dumps(memory_ids),)) if memory_ids else []
        return {row[0]: Current(*row) for row in rows}


def _item(memory_id: int, session: str, key: str, text: str, expires_at: float | None, told_at: float) -> Item:
    content = read_record(text)
    if content is None:
        raise ValueError(
            f"memory {memory_id} has a session and a source, but is not an item; erase it, or use another file"
        )
    created_at, ttl = content.get("created", told_at), content.get("ttl")
    return Item(memory_id, tuple(session.split(SEPARATOR)), key, content["value"], created_at, told_at, ttl, expires_at)


def _pairs(asked: Iterable[Address]) -> str:
    return json.dumps([[SEPARATOR.join(namespace), key] for namespace, key in asked])


def _under(prefix: Namespace) -> Condition:
    """The condition that a memory's namespace starts with these labels."""
    if not prefix:
        return "true", ()
    start = SEPARATOR.join(prefix)
    follows = chr(ord(SEPARATOR) + 1)
    # One range of the index; what is in it and neither the namespace nor below it goes out by the rest.
    within = "memory.session >= ? AND memory.session < ? AND (memory.session = ? OR memory.session >= ?)"
    return within, (start, start + follows, start, start + SEPARATOR)
