"""Texts with metadata under keys, as frameworks keep them: the items of one namespace of a store.

A value is an object of JSON whose "text" is what its vector is of. What is put over a key supersedes it; what is erased
goes with every value that it had.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lethe.store import arguments, items
from lethe.store.connection import is_made, made_with
from lethe.store.embedders import DEFAULT, Embed
from lethe.store.errors import LetheError
from lethe.store.items import Embedded, Item, Put, Vector, read_record
from lethe.store.normalisation import is_blank
from lethe.store.receipts import PurgeReceipt
from lethe.store.store import Store

if TYPE_CHECKING:
    from lethe.store.keys import Key

TEXT = "text"
_EVERY = -1
"""A limit of SQLite's that is none."""


class Documents:
    """Texts with metadata under keys, in one collection of a file.

    `embedder`: as in `Store`, a name or a function, which may give lists of numbers of any length here. With `dim`
    alone, the caller has the vectors, of so many numbers. `path`, `key`: as in `Store`. `owner`: whose documents these
    are; those of others are neither seen nor changed.

    Attributes:
        store: the store beneath, for receipts, the log and audits.
    """

    def __init__(
        self,
        path: str | Path,
        collection: str,
        *,
        embedder: str | Callable[[list[str]], Any] | None = None,
        dim: int | None = None,
        key: "Key | str | Path | None" = None,
        owner: str | None = None,
    ) -> None:
        items.session_of((collection,))
        self._namespace = (collection,)
        self._is_embedded = embedder is not None or dim is None
        given = _of_stored(embedder) if callable(embedder) else embedder if self._is_embedded else _asked
        store = Store(path, embedder=given, dim=dim, key=key)
        self.store = store if owner is None else store.within(owner=owner)

    def put(
        self,
        told: Mapping[str, Mapping[str, Any]],
        vectors: Sequence[Any] | None = None,
        ttl: float | None = None,
        expires_at: float | None = None,
    ) -> None:
        """Store values under their keys, in one transaction, `ttl` in seconds, or with an end.

        `vectors`: where the caller has them, one for each value; None or zero for one that has none.
        """
        if vectors is None:
            said = [key for key, value in told.items() if not is_blank(arguments.string("a text", value[TEXT]))]
            given = dict(zip(said, self._embedded([told[key][TEXT] for key in said]), strict=True))
        else:
            pairs = zip(told, vectors, strict=True)
            given = {key: self._unit(vector) for key, vector in pairs if vector is not None and np.any(vector)}
        of_keys = {key: [Embedded(told[key][TEXT], [TEXT, 0], vector)] for key, vector in given.items()}
        with items.writing(self.store, alike) as writing:
            writing.put(
                [
                    Put(self._namespace, key, value, of_keys.get(key, ()), ttl, expires_at=expires_at)
                    for key, value in told.items()
                ]
            )

    def _unit(self, given: Any) -> Vector:
        vector = unit(given)
        if len(vector) != self.store._dim:
            raise ValueError(f"this file has vectors of {self.store._dim} numbers, not of {len(vector)}")
        return vector

    def _embedded(self, texts: Sequence[str]) -> list[Vector]:
        for text in texts:
            arguments.check_encodable("a text", text)
        given = self.store._embedded(texts, self.store._embedder.documents) if texts else []
        return [np.frombuffer(vector, "<f4") for vector in given]

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of texts by the file's embedder; `LetheError` where the caller has the vectors."""
        given = arguments.strings("texts", "a text", texts)
        return [vector.tolist() for vector in self._embedded(given)]

    def get(self, keys: Collection[str]) -> list[Item]:
        """What stands under these keys, in their order; a key that is unknown is left out."""
        asked = [(self._namespace, key) for key in arguments.keys(keys)]
        with items.looking(self.store) as batch:
            found = batch.get(asked)
        return [found[address] for address in asked if address in found]

    def vector(self, item: Item) -> Vector | None:
        """The unit vector of an item; None if it has none."""
        with items.looking(self.store) as batch:
            return batch.vectors([item]).get(item.memory_id)

    def listed(self, given: Mapping[str, Any] | None = None, limit: int | None = None, offset: int = 0) -> list[Item]:
        """What meets a filter (`lethe.store.filters`), the one that was told last first."""
        most, passed = (
            _EVERY if limit is None else arguments.integer("limit", limit),
            arguments.integer("offset", offset),
        )
        with items.looking(self.store) as batch:
            return batch.listed(self._namespace, given or {}, most, passed)

    def nearest(self, query: Any, k: int, given: Mapping[str, Any] | None = None) -> list[tuple[Item, float]]:
        """The k nearest to a text or a vector of what meets a filter, each with its cosine.

        `LetheError` if the file's vectors are of another embedder.
        """
        if self._is_embedded:
            items.check_embedder(self.store)
        k = arguments.integer("k", k)
        vector = np.frombuffer(self.store._query_vector(query), "<f4") if isinstance(query, str) else self._unit(query)
        with items.looking(self.store) as batch:
            found = batch.nearest(vector, self._namespace, given or {}, k, 0)
        return [(item, score) for item, score in found if score is not None]

    def erase(
        self,
        keys: Collection[str] | None = None,
        given: Mapping[str, Any] | None = None,
        *,
        only: Callable[[Item], bool] | None = None,
        stay_forgotten: bool = False,
    ) -> PurgeReceipt | None:
        """Erase keys, or what meets a filter, or all, with every value that was there; None where there was nothing.

        `only`: a test that what meets the filter has to meet too. Where what stands under a key does not meet them, its
        older values that do are erased, each with what it superseded. What has expired is erased too. With
        `stay_forgotten`, each text that was there is refused from then on, whatever stands beside it.
        """
        asked = None if keys is None else [(self._namespace, key) for key in arguments.keys(keys)]
        with items.writing(self.store, alike) as writing:
            if asked is not None:
                doomed = writing.told(asked)
            elif given or only is not None:
                doomed = writing.told_meeting(self._namespace, given or {}, only)
            else:
                doomed = writing.told_under(self._namespace)
            if doomed:
                writing.erase(doomed, stay_forgotten=stay_forgotten)
        return writing.receipt

    def line(self, item: Item) -> list[tuple[dict[str, Any], float]]:
        """The values that stood under an item's key, oldest first, each with the moment at which it was told."""
        entries = self.store.blame(item.memory_id)
        told = [(read_record(entry.text or ""), entry.inscribed_at) for entry in entries]
        return [(record["value"], at) for record, at in told if record is not None]


def alike(text: str) -> list[str]:
    """What stays forgotten with the text of a document's item: its value, and the text in it."""
    value = items.alike(text)
    return value if not value or is_blank(_said(text)) else [*value, _said(text)]


def dim_of(path: str | Path, dim: int | None) -> int:
    """The number of numbers of a vector, which a file keeps; `LetheError` for a new file without one."""
    if dim is not None:
        return dim
    if not is_made(path):
        raise LetheError(
            f"store {path}: a new file needs dim, the number of numbers of a vector, or embedder={DEFAULT!r}"
        )
    return made_with(path)[0]


def unit(given: Any) -> Vector:
    """A vector at length 1; `ValueError` for what has no direction."""
    vector = np.asarray(given, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    if vector.ndim != 1 or not 0 < length < float("inf"):
        raise ValueError(f"an embedding must be a vector of finite length above 0, not {given!r:.80}")
    return (vector / length).astype("<f4")


def _of_stored(embed: Callable[[list[str]], Any]) -> Embed:
    """An embedder that takes the text of a value that is stored, and gives unit vectors."""
    return lambda texts: np.stack([unit(each) for each in embed([_said(text) for text in texts])])


def _said(stored: str) -> str:
    record = read_record(stored)
    return stored if record is None else searched_text(record) or stored


def searched_text(record: Mapping[str, Any]) -> str | None:
    """The text by which an item is searched for, if it has one: its "text", or that of the place of its vector."""
    value, place = record["value"], record.get("at")
    for name in (TEXT, *(place[:1] if isinstance(place, list) else ())):
        if isinstance(said := value.get(name) if isinstance(name, str) else None, str):
            return said
    return None


def _asked(texts: Sequence[str]) -> Any:
    raise LetheError("the vectors of this store are made by its caller: ask it with a vector, or name its embedder")
