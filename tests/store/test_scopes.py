"""Owner, session and source of memories; the time after which they have expired."""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lethe.store import Memory, Scope, Store
from tests.support.hash_embedder import DIM, Clock, hash_embed

MODES = ("hybrid", "vector", "lexical")
BY_ID: dict[str, Callable[[Store, int], object]] = {
    "decay": lambda store, id: store.decay(id, 0.5),
    "release": lambda store, id: store.release(id),
    "supersede": lambda store, id: store.supersede(id, "gamma"),
    "edit": lambda store, id: store.edit(id, "gamma"),
    "purge": lambda store, id: store.purge(id),
    "pin": lambda store, id: store.pin(id),
    "unpin": lambda store, id: store.unpin(id),
    "touch": lambda store, id: store.touch([id]),
    "blame": lambda store, id: store.blame(id),
    "log": lambda store, id: store.log(id),
    "memory": lambda store, id: store.memory(id),
}


@pytest.fixture
def shared(store: Store) -> Store:
    """Memories 1 and 2 are Ann's, 3 is Bob's, 4 nobody's; 2 and 3 come from one source."""
    store.within(owner="ann", session="monday").inscribe("alpha one")
    store.within(owner="ann", source="mail").inscribe("alpha two")
    store.within(owner="bob", source="mail").inscribe("alpha three")
    store.inscribe("alpha four")
    return store


def ids(found: Any) -> list[int]:
    return sorted(memory.memory_id for memory in found)


@pytest.mark.parametrize("mode", MODES)
def test_recall_within_a_scope(shared: Store, mode: Any) -> None:
    expected = {"ann": [1, 2], "bob": [3], "eve": []}
    for owner, memories in expected.items():
        assert ids(shared.within(owner=owner).recall("alpha", mode=mode)) == memories
    assert ids(shared.recall("alpha", mode=mode)) == [1, 2, 3, 4]
    assert ids(shared.within(owner="ann").within(source="mail").recall("alpha", 1, mode=mode)) == [2]


def test_k_counts_the_memories_of_the_scope_alone(store: Store) -> None:
    store.inscribe_many(["alpha beta"] * 50)
    ann = store.within(owner="ann")
    ann.inscribe_many(["far away gamma", "alpha delta"])
    for mode in ("hybrid", "vector"):
        assert ids(ann.recall("alpha beta", 2, mode=mode)) == [51, 52]
    store.release_matching("alpha beta")
    assert ann.count() == 2


@pytest.mark.parametrize("method", BY_ID)
def test_a_memory_outside_the_scope_is_unknown(shared: Store, method: str) -> None:
    bob, log = shared.within(owner="bob"), shared.log()
    with pytest.raises(LookupError, match="there is no memory 1"):
        BY_ID[method](bob, 1)
    assert shared.log() == log
    BY_ID[method](bob, 3)


def test_what_is_addressed_by_a_query_stays_within_the_scope(shared: Store) -> None:
    bob = shared.within(owner="bob")
    assert bob.release_matching("alpha one") == [3]
    assert bob.supersede_matching("alpha one", "alpha new", floor=None) == 5, "nothing of bob's is left to supersede"
    assert shared.memory(5).owner == "bob" and shared.memory(1).depth == 1.0
    shared.within(owner="eve").inscribe("ALPHA  one")
    assert shared.within(owner="eve").purge_matching("alpha one").memory_ids == (6,)
    assert ids(shared.memories()) == [1, 2, 4, 5]


def test_a_successor_is_of_its_predecessors_scope_and_ends_with_it(shared: Store, clock: Clock) -> None:
    first = shared.within(owner="ann", source="mail").inscribe("gamma", ttl=60)
    new = shared.supersede(first, "delta")
    assert shared.memory(new) == Memory(new, "delta", 1.0, "ann", None, "mail", clock.now + 60)


def test_everything_from_a_source_is_purged(shared: Store) -> None:
    shared.release(2)
    shared.pin(3)
    receipt = shared.within(source="mail").purge_scope()
    assert receipt.memory_ids == (2, 3) and shared.verify(receipt)
    assert ids(shared.memories(include_submerged=True)) == [1, 4]
    with pytest.raises(ValueError, match="needs a scope"):
        shared.purge_scope()


def test_a_purge_takes_owner_session_source_and_end_with_it(path: Path, clock: Clock) -> None:
    def found() -> dict[str, int]:
        content = b"".join(file.read_bytes() for file in path.parent.iterdir())
        kinds = ("owner", "session", "source")
        return {kind: sum(f"{kind}xq{number:02}".encode() in content for number in range(59)) for kind in kinds}

    with Store(path, embed=hash_embed, dim=DIM, clock=clock) as store:
        for number in range(60):
            marks = {kind: f"{kind}xq{number:02}" for kind in ("owner", "session", "source")}
            store.within(**marks).inscribe(f"alpha {number}", ttl=1000)
        assert found() == {"owner": 59, "session": 59, "source": 59}
        assert store.purge_many(range(1, 60)).complete
        assert found() == {"owner": 0, "session": 0, "source": 0}
        assert store.memory(60).owner == "ownerxq59"


def test_scopes_in_the_past(shared: Store) -> None:
    seq = shared.last_seq()
    shared.release(1)
    assert ids(shared.within(owner="ann").memories(at=seq)) == [1, 2]
    assert ids(shared.within(owner="ann").recall("alpha", at=seq)) == [1, 2]


def test_the_log_of_a_scope(shared: Store) -> None:
    assert [event.memory_id for event in shared.within(owner="ann").log()] == [1, 2]
    shared.supersede(4, "beta")
    shared.within(owner="ann").supersede(1, "beta two")
    assert [entry.text for entry in shared.within(owner="ann").blame(6)] == ["alpha one", "beta two"]


def test_what_concerns_the_whole_store_is_refused_within_a_scope(shared: Store) -> None:
    for act in (shared.within(owner="ann").reset, shared.within(owner="ann").consolidate):
        with pytest.raises(ValueError, match="whole store"):
            act()
    assert shared.count() == 4


@pytest.mark.parametrize("wrong", ["", 5, b"ann"])
def test_wrong_scopes(store: Store, wrong: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="owner"):
        store.within(owner=wrong)
    with pytest.raises(ValueError, match="one owner"):
        store.within(owner="ann").within(owner="bob")


@pytest.mark.parametrize("mode", MODES)
def test_an_expired_memory_is_out_of_everything_but_a_purge(store: Store, clock: Clock, mode: Any) -> None:
    store.inscribe("alpha one", ttl=10)
    store.inscribe_many(["alpha two", "alpha three"], ttl=100)
    store.inscribe("alpha four")
    assert ids(store.recall("alpha", mode=mode)) == [1, 2, 3, 4]
    clock.now += 10
    assert ids(store.recall("alpha", mode=mode)) == [2, 3, 4]
    assert ids(store.recall("alpha one", 1, mode=mode)) != [1]
    assert (ids(store.memories(include_submerged=True)), store.count()) == ([2, 3, 4], 3)
    assert 1 not in ids(store.memories(at=4))
    with pytest.raises(LookupError, match="there is no memory 1"):
        store.release(1)
    assert store.blame(1)[0].text is None
    assert [memory.memory_id for memory in store.doomed(expired_only=True)] == [1]
    assert store.purge_expired().memory_ids == (1,)
    assert store.purge_expired().memory_ids == ()
    clock.now += 1000
    assert store.within(owner="ann").purge_expired().memory_ids == ()
    assert store.purge(2).memory_ids == (2,)
    assert store.purge_expired().memory_ids == (3,)


def test_an_expired_text_is_purged_with_its_equals(store: Store, clock: Clock) -> None:
    store.inscribe("alpha one", ttl=10)
    store.inscribe("ALPHA one")
    clock.now += 10
    assert store.purge_matching("alpha one").memory_ids == (1, 2)


@pytest.mark.parametrize("ttl", [0, -1, math.nan, math.inf, "x"])
def test_a_time_to_live_is_a_positive_number(store: Store, ttl: Any) -> None:
    with pytest.raises(ValueError, match="ttl"):
        store.inscribe("alpha", ttl=ttl)
    assert store.count() == 0


def recall_time(store: Store) -> float:
    """The least of three times, in seconds of this process."""
    times = []
    for _ in range(3):
        start = time.process_time()
        assert len(store.recall("alpha beta", mode="lexical")) == 10
        times.append(time.process_time() - start)
    return min(times)


def test_recall_in_a_scope_or_with_an_end_takes_no_longer_than_without(store: Store) -> None:
    ann = store.within(owner="ann")
    ann.inscribe_many([f"alpha number {number}" for number in range(3000)])
    whole = recall_time(store)
    assert recall_time(ann) < 10 * whole, "each memory of the scope had the whole match run once more"
    store.inscribe("beta", ttl=1000)
    assert recall_time(store) < 10 * whole


def test_the_scopes_that_memories_have(store: Store, clock: Clock) -> None:
    ann = store.within(owner="ann")
    may = ann.within(session="may", source="mail")
    gone = may.inscribe("one")
    store.inscribe("two")
    ann.inscribe("three")
    ann.inscribe("four")
    store.within(owner="ben").inscribe("five", ttl=60)
    assert store.scopes() == [(None, None, None), ("ann", None, None), ("ann", "may", "mail"), ("ben", None, None)]
    assert ann.scopes() == [Scope(owner="ann"), Scope("ann", "may", "mail")]
    may.purge(gone)
    clock.pass_days(1)
    assert store.scopes() == [(None, None, None), ("ann", None, None)]
