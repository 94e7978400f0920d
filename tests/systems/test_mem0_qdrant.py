"""Products of sparse vectors by an inverted index, against the definition."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from lethe.systems.mem0_qdrant import SparseDistances


@dataclass(frozen=True, eq=False)
class Sparse:
    indices: list[int]
    values: list[float]


def drawn(chance: random.Random) -> Sparse:
    indices = sorted(chance.sample(range(30), chance.randrange(8)))
    return Sparse(indices, [chance.uniform(0.1, 3.0) for _ in indices])


def products(query: Sparse, vectors: Sequence[Sparse], without: float) -> list[np.float32]:
    """Each product as a sum by rising index, in double precision."""
    found = []
    for vector in vectors:
        stored = dict(zip(vector.indices, vector.values, strict=True))
        shared = [index for index in query.indices if index in stored]
        total = 0.0
        for index in shared:
            total += query.values[query.indices.index(index)] * stored[index]
        found.append(np.float32(total if shared else without))
    return found


@pytest.mark.parametrize(("empty_is_zero", "without"), [(False, -np.inf), (True, 0.0)])
def test_collections_that_grow_change_and_end(empty_is_zero: bool, without: float) -> None:
    chance, distances = random.Random(7), SparseDistances()
    collections = [[drawn(chance) for _ in range(5)] for _ in range(20)]
    for turn in range(300):
        vectors = collections[chance.randrange(len(collections))]
        if turn % 3:
            vectors.append(drawn(chance))
        elif turn % 2:
            vectors[chance.randrange(len(vectors))] = drawn(chance)
        else:
            del vectors[-1]
        query = drawn(chance)
        assert list(distances(query, list(vectors), empty_is_zero)) == products(query, vectors, without)
    assert list(distances(drawn(chance), [], empty_is_zero)) == []
