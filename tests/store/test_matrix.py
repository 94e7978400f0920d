"""The resident vectors: exact, equal to the file whoever changes it, and overwritten when their memory is erased."""

import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lethe.store import Store
from lethe.store import matrix as module
from lethe.store.matrix import Matrix
from tests.support.hash_embedder import DIM, hash_embed

Array = npt.NDArray[np.float32]


def holding(
    vectors: Array, anns: Collection[int] = (), expired: Collection[int] = (), weights: Sequence[float] = ()
) -> Matrix:
    """Memories from 1 on, of which some are Ann's, some end at 5, and some have sunk."""
    matrix = Matrix(vectors.shape[1])
    depths = list(weights) or [1.0] * len(vectors)
    rows = [
        (number, vector.tobytes(), depth)
        for number, (vector, depth) in enumerate(zip(vectors, depths, strict=True), start=1)
    ]
    given_: list[Any] = [(5.0 if row[0] in expired else None, "ann" if row[0] in anns else None) for row in rows]
    matrix._append([(*row, *more, None, None) for row, more in zip(rows, given_, strict=True)])
    return matrix


def exact(vectors: Array, query: Array, k: int, counting: set[int]) -> list[tuple[int, float]]:
    apart = vectors.astype(np.float64) - query
    distances = np.sqrt((apart**2).sum(axis=1))
    ranked = sorted((distance, number) for number, distance in enumerate(distances, start=1) if number in counting)
    return [(number, 1 - distance / 2) for distance, number in ranked[:k]]


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(1, 3000),
    dim=st.sampled_from([1, 3, 32, 384]),
    k=st.integers(1, 40),
    distinct=st.sampled_from([1, 5, 10_000]),
    scale=st.sampled_from(["unit", "small", "large", "mixed"]),
    scope=st.sampled_from(["all", "few", "many", "hidden"]),
)
def test_the_closest_are_exact_with_ties_in_order_of_id(
    seed: int, count: int, dim: int, k: int, distinct: int, scale: str, scope: str
) -> None:
    chance = np.random.default_rng(seed)
    vectors = chance.normal(size=(min(count, distinct), dim)).astype(np.float32)
    vectors = vectors[chance.integers(0, len(vectors), count)]
    query = chance.normal(size=dim).astype(np.float32)
    if scale == "unit":
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        query /= np.linalg.norm(query)
    elif scale != "mixed":
        vectors *= {"small": 1e-4, "large": 1e4}[scale]
    else:
        vectors *= 10 ** chance.uniform(-3, 3, size=(count, 1)).astype(np.float32)
    part = set(
        chance.integers(1, count + 1, {"few": 1 + count // 10, "many": count, "hidden": 20, "all": 0}[scope]).tolist()
    )
    everything = set(range(1, count + 1))
    given_: dict[str, Any] = {"hidden": {"now": 5.0}, "all": {}}.get(scope, {"scope": ("ann", None, None)})
    counting = everything - part if scope == "hidden" else part or everything
    found = holding(vectors, part, part).nearest(query.tobytes(), k, **given_)
    expected = exact(vectors, query, k, counting)
    assert [similarity for _, similarity in found] == pytest.approx(
        [similarity for _, similarity in expected], rel=1e-9
    )
    if scale == "unit":
        assert [number for number, _ in found] == [number for number, _ in expected]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 3000), k=st.integers(1, 40), own=st.booleans())
def test_the_best_by_similarity_and_depth_are_exact(seed: int, count: int, k: int, own: bool) -> None:
    chance = np.random.default_rng(seed)
    vectors = chance.normal(size=(count + 1, 32)).astype(np.float32)
    vectors[chance.integers(0, count, count // 3)] = vectors[0]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    *vectors_, query = vectors
    weights = chance.choice([1.0, 0.99, 0.5, 0.06], count)
    anns = set(chance.integers(1, count + 1, count // 5 + 1).tolist()) if own else set(range(1, count + 1))
    found = holding(np.array(vectors_), anns=anns, weights=weights.tolist()).nearest(
        query.tobytes(), k, ("ann", None, None), weighted=True
    )
    similarities = dict(exact(np.array(vectors_), query, count, anns))
    expected = sorted(anns, key=lambda id: (-similarities[id] * weights[id - 1], -similarities[id], id))[:k]
    assert found == [(id, pytest.approx(similarities[id])) for id in expected]


def resident(store: Store) -> bytes:
    return store._database.index._vectors.tobytes()


def test_the_vector_of_an_erased_memory_is_overwritten_at_once(store: Store) -> None:
    store.inscribe_many([f"alpha {number}" for number in range(5)])
    store.recall("alpha")
    vectors = [hash_embed([f"alpha {number}"]).tobytes() for number in range(5)]
    assert all(vector in resident(store) for vector in vectors)
    store.purge_many([2, 5])
    assert [vector in resident(store) for vector in vectors] == [True, False, True, True, False]
    old = store._database.index._vectors
    store.reset()
    assert not old.any()


def test_the_owner_of_an_erased_memory_is_not_kept(store: Store) -> None:
    for owner in ("ann", "bob"):
        store.within(owner=owner).inscribe("alpha")
    store.recall("alpha")
    store.purge(1)
    assert [list(marks.numbers) for marks in store._database.index._marks] == [["bob"], [], []]
    store.within(owner="eve").inscribe("alpha")
    store.within(owner="bob").recall("alpha")
    assert [found.memory_id for found in store.within(owner="eve").recall("alpha")] == [3]
    assert [found.memory_id for found in store.within(owner="bob").recall("alpha")] == [2]


def test_room_is_made_without_leaving_a_copy(store: Store) -> None:
    store.inscribe("alpha")
    store.recall("alpha")
    old = store._database.index._vectors
    for number in range(100):
        store.inscribe(f"beta {number}")
        store.recall("alpha")
    assert store._database.index._vectors is not old and not old.any()


def test_what_another_store_does_to_the_file_is_followed(path: Path, file_store: Store) -> None:
    def seen() -> list[str]:
        return sorted(memory.text for memory in file_store.recall("alpha", 50, mode="vector"))

    with Store(path, embed=hash_embed, dim=DIM) as other:
        other.inscribe_many([f"alpha {number}" for number in range(8)])
        assert len(seen()) == 8
        other.release(1)
        other.edit(2, "beta")
        other.purge(3)
        assert seen() == sorted(["beta", *(f"alpha {number}" for number in range(3, 8))])
        assert hash_embed(["alpha 2"]).tobytes() not in resident(file_store)
        other.pin(1)
        assert "alpha 0" in seen()
        other.reset()
        other.inscribe("gamma")
        assert seen() == ["gamma"]


def test_a_change_that_is_rolled_back_is_not_taken_over(file_store: Store) -> None:
    file_store.inscribe_many(["alpha one", "alpha two"])
    file_store.recall("alpha")
    with pytest.raises(LookupError):
        file_store.purge_many([1, 99])
    assert len(file_store.recall("alpha", mode="vector")) == 2
    file_store.inscribe("alpha three")
    assert len(file_store.recall("alpha", mode="vector")) == 3


class Interrupt(BaseException):
    """Stands for what a signal raises."""


def test_an_interrupt_while_following_leaves_no_wrong_rows(file_store: Store) -> None:
    file_store.inscribe_many([f"alpha {number}" for number in range(30)])
    file_store.recall("alpha")
    at = 0
    while True:
        file_store.release(at % 20 + 1)
        file_store.inscribe(f"beta {at}")
        left = at

        def profile(frame: FrameType, event: str, argument: Any) -> None:
            nonlocal left
            if event in ("call", "c_return") and frame.f_code.co_filename == module.__file__:
                left -= 1
                if left < 0:
                    sys.setprofile(None)
                    raise Interrupt

        sys.setprofile(profile)
        try:
            file_store.recall("alpha", 100, mode="vector")
        except Interrupt:
            pass
        else:
            break
        finally:
            sys.setprofile(None)
        found = {memory.memory_id for memory in file_store.recall("alpha", 1000, mode="vector")}
        assert found == {memory.memory_id for memory in file_store.memories()}, at
        at += 1
    assert at > 10
