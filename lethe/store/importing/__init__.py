"""What other stores hold, taken into this one: those of Mem0, Chroma, LangGraph and the reference memory server of MCP.

```python
from lethe.store.importing import import_from

with Store("memory.db", key="lethe.key") as store:
    print(import_from("chroma", "chroma_folder", store))
```

Needs nothing besides the store, but the package `langgraph` where a SqliteStore has vectors. What is imported stands
where the adapter for that library reads it: items with their keys, metadata, ends and times.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lethe.store import documents, items
from lethe.store.errors import LetheError, describe_os_error
from lethe.store.filters import json_text
from lethe.store.importing import chroma, langgraph, mcp, mem0
from lethe.store.importing.rows import Left, Row, checked
from lethe.store.items import Address, Embedded, Item, Put, Vector, record

if TYPE_CHECKING:
    from lethe.store.store import Store

_READERS: Mapping[str, Callable[[Path, str | None, Left], Iterator[Row]]] = {
    "chroma": chroma.rows,
    "langgraph": langgraph.rows,
    "mcp": mcp.rows,
    "mem0": mem0.rows,
}
KINDS = tuple(_READERS)
_STEP = 256
"""How many texts are embedded in one call."""


@dataclass(frozen=True, slots=True)
class Imported:
    """How many items came: new ones, over an older value, and as they stood; and what could not be kept, by reason."""

    new: int
    replaced: int
    unchanged: int
    left: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        told = f"{self.new} new, {self.replaced} over older values, {self.unchanged} as they stood; vectors made anew"
        return "; ".join([told, *(f"{count} {reason}" for reason, count in self.left.items())])


@dataclass(frozen=True, slots=True)
class Foreign:
    """What `read` has found in another store."""

    rows: Mapping[Address, Row]
    left: Left


def import_from(kind: str, source: str | Path, store: "Store", *, collection: str | None = None) -> Imported:
    """Take all that another store holds into this one, in one transaction; the same again adds nothing.

    `kind` is "mem0" (a folder of Qdrant or Chroma, or the JSON of `get_all`), "chroma" (a folder), "langgraph" (a file
    of `SqliteStore`) or "mcp" (a memory.jsonl). `collection` names the one to take, where there are several. The source
    is only read. What stands under a key here already is superseded where it differs. Texts are embedded by this
    store's embedder. `LetheError`, and nothing is changed, for a source that cannot be read or trusted as a whole.
    """
    return take(store, read(kind, source, collection=collection))


def read(kind: str, source: str | Path, *, collection: str | None = None) -> Foreign:
    """All that another store holds, checked, before any store is opened for it; the arguments of `import_from`."""
    if kind not in _READERS:
        raise LetheError(f"no store of the kind {kind!r:.80} can be imported; give {', '.join(KINDS)}")
    left: Left = Counter()
    found: dict[Address, Row] = {}
    try:
        for row in _READERS[kind](Path(source), collection, left):
            address = row.namespace, row.key
            if address in found:
                raise LetheError(f"{row.where}: the key {row.key!r:.80} stands there twice; take one of them out")
            found[address] = checked(row)
    except OSError as error:
        raise describe_os_error(error, f"reading {error.filename or source}") from error
    return Foreign(found, left)


def take(store: "Store", foreign: Foreign) -> Imported:
    """Take what was read into a store; returns what came of it."""
    left = Counter(foreign.left)
    now = store._now()
    live = {at: row for at, row in foreign.rows.items() if row.expires_at is None or row.expires_at > now}
    with items.looking(store) as batch:
        standing = batch.get(live)
    changed = {at: row for at, row in live.items() if at not in standing or not _is_same(row, standing[at])}
    told = {
        at: [said for text in _stored(row) for said in (text, *documents.alike(text))] for at, row in changed.items()
    }
    asked = list(itertools.chain.from_iterable(told.values()))
    refused = {text for text, flag in zip(asked, store.forgotten(asked), strict=True) if flag}
    wanted = {at: row for at, row in changed.items() if refused.isdisjoint(told[at])}
    left["expired, left out"] += len(foreign.rows) - len(live)
    left["erased here to stay forgotten, left out"] += len(changed) - len(wanted)
    _check_embedder(store, [row for row in wanted.values() if row.texts][:1])
    vectors = _vectors(store, dict.fromkeys(text for row in wanted.values() for text, _ in row.texts))
    with items.writing(store) as writing:
        writing.put([_put(row, vectors) for row in wanted.values()])
    replaced = len(wanted.keys() & standing.keys())
    return Imported(len(wanted) - replaced, replaced, len(live) - len(changed), +left)


def _is_same(row: Row, item: Item) -> bool:
    told = item.created_at if row.created_at is None else row.created_at
    ends = (item.created_at, item.expires_at, item.ttl) == (told, row.expires_at, row.ttl)
    return ends and json_text(item.value) == json_text(row.value)


def _stored(row: Row) -> list[str]:
    """The texts of the memories that an item of this row has."""
    place = row.texts[0][1] if row.texts else None
    return [record(row.value, place, row.created_at, row.ttl), *(text for text, _ in row.texts[1:])]


def _check_embedder(store: "Store", some: Sequence[Row]) -> None:
    """`LetheError` for a function without a name that would not know again which part of an item its vector is of."""
    for row in some if store._embedder.name is None else ():
        own, part = _vectors(store, dict.fromkeys([_stored(row)[0], row.texts[0][0]])).values()
        if not np.allclose(own, part, atol=0.01):
            raise LetheError(
                f"store {store._database.name}: its embedder has no name, and does not know which part of an item it"
                " is asked for; give it a name (embedder=), or take the store of the adapter that will read the items"
            )


def _vectors(store: "Store", texts: Mapping[str, None]) -> dict[str, Vector]:
    told: Sequence[str] = list(texts)
    steps = (told[start : start + _STEP] for start in range(0, len(told), _STEP))
    given = [vector for step in steps for vector in store._embedded(step, store._embedder.documents)]
    return {text: np.frombuffer(vector, "<f4") for text, vector in zip(told, given, strict=True)}


def _put(row: Row, vectors: Mapping[str, Vector]) -> Put:
    embedded = [Embedded(text, place, vectors[text]) for text, place in row.texts]
    return Put(row.namespace, row.key, row.value, embedded, row.ttl, row.created_at, row.expires_at)
