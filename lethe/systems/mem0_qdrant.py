"""Qdrant's local mode on a collection that outlives many cases: the same masks and scores, in less time.

It compares a query with every point that there ever was, deleted ones too, in plain Python.
"""

import operator
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_COLLECTIONS = 8


def hasten() -> None:
    """From here on the local mode of this process uses what this module has."""
    from qdrant_client.local import local_collection

    local_collection.LocalCollection._payload_and_non_deleted_mask = _mask
    local_collection.calculate_distance_sparse = SparseDistances()


def _mask(collection: Any, payload_filter: Any, vector_name: str | None = None) -> Any:
    """Which points are live and pass the filter; Qdrant's own evaluates it on all points, and on each anew."""
    from qdrant_client.local.payload_filters import check_filter

    live = ~collection.deleted.astype(bool)
    if vector_name is not None:
        live &= ~collection.deleted_per_vector[vector_name].astype(bool)
    if payload_filter is None:
        return live
    fields = _fields(payload_filter)
    passed: dict[object, bool] = {}
    for point in live.nonzero()[0]:
        payload, id = collection.payload[point], collection.ids_inv[point]
        alike = point if fields is None else tuple(repr(payload.get(field, _mask)) for field in fields)
        if alike not in passed:
            passed[alike] = check_filter(payload_filter, payload, id, collection._calculate_has_vector(point))
        live[point] = passed[alike]
    return live


def _fields(payload_filter: Any) -> list[str] | None:
    """The fields that alone decide whether a payload passes; None where that is not plain from the filter."""
    from qdrant_client.http.models import FieldCondition

    must = payload_filter.must
    others = payload_filter.must_not, payload_filter.should, payload_filter.min_should
    if not isinstance(must, list) or any(other is not None for other in others):
        return None
    if any(not isinstance(one, FieldCondition) or not one.key.replace("_", "").isalnum() for one in must):
        return None
    return [one.key for one in must]


class SparseDistances:
    """`calculate_distance_sparse`: products with all sparse vectors of a collection, by an inverted index of them.

    It adds the same products in the same order, by rising index.
    """

    def __init__(self) -> None:
        self._indexes: dict[int, _InvertedIndex] = {}

    def __call__(self, query: Any, vectors: Sequence[Any], empty_is_zero: bool = False) -> NDArray[np.float32]:
        # A collection that stays keeps its first vector, and the index keeps that alive.
        name = id(vectors[0]) if vectors else 0
        index = self._indexes.get(name)
        if index is None or not index.grow(vectors):
            if len(self._indexes) == _COLLECTIONS:
                self._indexes.clear()
            index = self._indexes[name] = _InvertedIndex()
            index.grow(vectors)
        return index.scores(query, 0.0 if empty_is_zero else -np.inf)


class _InvertedIndex:
    """Where each index of sparse vectors has a value, and which."""

    def __init__(self) -> None:
        self._vectors: list[Any] = []
        self._places: dict[int, list[int]] = defaultdict(list)
        self._values: dict[int, list[float]] = defaultdict(list)

    def grow(self, vectors: Sequence[Any]) -> bool:
        """Take in the vectors that are new; False, and nothing is done, where they do not begin with those known."""
        known = len(self._vectors)
        if known > len(vectors) or not all(map(operator.is_, self._vectors, vectors)):
            return False
        for place, vector in enumerate(vectors[known:], start=known):
            for index, value in zip(vector.indices, vector.values, strict=True):
                self._places[index].append(place)
                self._values[index].append(value)
        self._vectors.extend(vectors[known:])
        return True

    def scores(self, query: Any, without: float) -> NDArray[np.float32]:
        """The product of each vector with `query`, whose indices rise; `without` where they share no index."""
        sums, shared = np.zeros(len(self._vectors)), np.zeros(len(self._vectors), dtype=bool)
        for index, value in zip(query.indices, query.values, strict=True):
            if index in self._places:
                places = self._places[index]
                sums[places] += value * np.array(self._values[index])
                shared[places] = True
        return np.where(shared, sums, without).astype(np.float32)
