"""Ids that are not integers: refused before anything changes; integers of other types are the ids that they equal."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lethe.store import Memory, Store
from tests.support.hash_embedder import DIM, hash_embed

NO_IDS = ["1", 1.0, np.float64(1.0), True, np.True_, None, b"1", (1,), 1 + 0j]
BY_ID: dict[str, Callable[[Store, Any], object]] = {
    "decay": lambda store, id: store.decay(id, 0.5),
    "release": lambda store, id: store.release(id),
    "supersede": lambda store, id: store.supersede(id, "gamma"),
    "edit": lambda store, id: store.edit(id, "gamma"),
    "purge": lambda store, id: store.purge(id),
    "purge_many": lambda store, id: store.purge_many([2, id]),
    "pin": lambda store, id: store.pin(id),
    "unpin": lambda store, id: store.unpin(id),
    "touch": lambda store, id: store.touch([2, id]),
    "blame": lambda store, id: store.blame(id),
    "log": lambda store, id: store.log(id),
    "surrender": lambda store, id: store.surrender(id, "release"),
}


def opened(path: Path | str = ":memory:") -> Store:
    store = Store(path, embed=hash_embed, dim=DIM)
    store.inscribe_many(["alpha one", "beta two", "gamma three"])
    return store


@pytest.mark.parametrize("id", NO_IDS, ids=repr)
@pytest.mark.parametrize("method", BY_ID)
def test_an_id_that_is_no_integer_is_one_line_and_changes_nothing(method: str, id: object) -> None:
    if (method, id) in [("log", None), ("surrender", "1")]:
        pytest.skip("means the whole log, or a query")
    store = opened()
    log, memories = store.log(), store.memories(include_submerged=True)
    with pytest.raises(TypeError) as caught:
        BY_ID[method](store, id)
    assert "memory id" in str(caught.value) and repr(id) in str(caught.value) and "\n" not in str(caught.value)
    assert (store.log(), store.memories(include_submerged=True)) == (log, memories)


@pytest.mark.parametrize("method", BY_ID)
def test_an_integer_of_numpy_is_an_id(method: str, tmp_path: Path) -> None:
    BY_ID[method](opened(), np.int64(1))
    with opened(tmp_path / "memories.db") as store:
        BY_ID[method](store, np.int16(1))
        receipt = store.purge(np.int64(3))
        assert all(type(event.memory_id) is int for event in store.log())
        assert receipt.memory_ids == (3,) and type(receipt.memory_ids[0]) is int
        assert store.verify(receipt)


def test_one_memory_given_as_two_integers_is_purged_once() -> None:
    store = opened()
    assert store.purge_many([1, np.int64(1), np.uint8(1)]).memory_ids == (1,)


@pytest.mark.parametrize("method", BY_ID)
@pytest.mark.parametrize("id", [0, -1, 4, 2**63, -(2**70), 10**400], ids=["0", "-1", "4", "2^63", "-2^70", "10^400"])
def test_an_id_that_was_never_given_out_is_named(method: str, id: int) -> None:
    store = opened()
    log = store.log()
    with pytest.raises(LookupError, match="there is no memory"):
        BY_ID[method](store, id)
    assert store.log() == log


def test_numbers_of_events_and_memories_are_integers_too() -> None:
    store = opened()
    assert store.memories(at=np.int64(1)) == [Memory(1, "alpha one", 1.0)]
    assert len(store.recall("alpha", k=np.int64(1), mode="vector")) == 1
    for wrong in ("1", 1.0, True):
        with pytest.raises(TypeError, match="event"):
            store.memories(at=wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="k "):
            store.recall("alpha", k=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no event"):
        store.memories(at=2**70)
    assert len(store.recall("alpha", k=2**70)) == 3


@given(st.lists(st.one_of(st.integers(), st.booleans(), st.text(max_size=2), st.floats(), st.none()), max_size=4))
def test_whatever_is_given_as_ids_receipts_stay_good(ids: list[Any]) -> None:
    with opened() as store:
        try:
            store.purge_many(ids)
        except (TypeError, LookupError) as error:
            assert "\n" not in str(error)
            assert store.count() == 3
        assert store.verify(store.purge(store.inscribe("delta")))
