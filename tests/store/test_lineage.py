"""What goes with a memory that is purged with its line: what it superseded, and what was derived from either."""

import json
from pathlib import Path

import pytest

from lethe.store import Key, PurgeReceipt, StaysForgotten, Store
from tests.support.hash_embedder import DIM, Clock, hash_embed


def ids(memories: object) -> list[int]:
    return [memory.memory_id for memory in memories]  # type: ignore[attr-defined]


@pytest.fixture
def family(store: Store) -> Store:
    """1 is superseded by 2; 3 is derived from 1, 4 from 3 and 5; 5 is on its own; 6 succeeds 4."""
    first = store.inscribe("the key is at the bakery")
    store.supersede(first, "the key is at home")
    third = store.inscribe("Ines goes to the bakery for the key", derived_from=[first])
    fourth, fifth = third + 1, third + 2
    store.inscribe("bakery errands", derived_from=[third])
    store.inscribe("Ines likes bread")
    store.supersede(fourth, "bakery errands and more")
    assert store.count(include_submerged=True) == fifth + 1
    return store


@pytest.mark.parametrize(
    ("asked", "erased"), [([1], [1, 3, 4, 6]), ([2], [2, 1, 3, 4, 6]), ([3], [3, 4, 6]), ([6], [6, 4]), ([5], [5])]
)
def test_a_purge_with_its_line_takes_what_was_derived(family: Store, asked: list[int], erased: list[int]) -> None:
    assert ids(family.line(asked)) == erased
    receipt = family.purge_many(asked, with_line=True)
    assert list(receipt.memory_ids) == erased
    assert receipt.asked == tuple(asked)
    assert set(receipt.went_with) == set(erased) - set(asked) and set(receipt.went_with.values()) <= set(erased)
    assert family.verify(receipt) and family.verify_log()


def test_without_its_line_a_purge_takes_one(family: Store) -> None:
    assert family.purge(1).memory_ids == (1,)
    assert family.purge(2, with_line=True).memory_ids == (2, 3, 4, 6), "the line goes on through what was purged"


def test_a_selection_shows_the_line(family: Store) -> None:
    query = "the key is at home"
    assert ids(family.selected(query, "purge")) == [2]
    assert ids(family.selected(query, "purge", with_line=True)) == [2, 1, 3, 4, 6]
    assert family.purge_matching(query, with_line=True).memory_ids == (2, 1, 3, 4, 6)
    with pytest.raises(ValueError, match="only a purge"):
        family.selected(query, "release", with_line=True)


def test_the_line_of_what_has_expired(store: Store, clock: Clock) -> None:
    source = store.inscribe("alpha", ttl=60)
    derived = store.inscribe("beta", derived_from=[source])
    clock.now += 61
    assert ids(store.doomed(expired_only=True)) == [source]
    assert ids(store.doomed(expired_only=True, with_line=True)) == [source, derived]
    assert store.purge_expired(with_line=True).went_with == {derived: source}


def test_what_another_owner_derived_is_out_of_reach(store: Store) -> None:
    ann, ben = store.within(owner="ann"), store.within(owner="ben")
    source = ann.inscribe("alpha")
    with pytest.raises(LookupError):
        ben.inscribe("beta", derived_from=[source])
    own = ann.inscribe("alpha again", derived_from=[source])
    shared = store.inscribe("gamma", derived_from=[source, ben.inscribe("delta")])
    assert ids(ann.line([source])) == [source, own]
    assert ids(ann.doomed(with_line=True)) == [source, own]
    assert ann.purge(source, with_line=True).memory_ids == (source, own)
    assert store.memory(shared).text == "gamma"
    assert store.purge(source, with_line=True).went_with == {shared: source}


def test_a_memory_is_derived_from_what_is_there(store: Store, clock: Clock) -> None:
    store.inscribe_many(["alpha", "beta", "gamma"])
    store.purge(1)
    late = store.inscribe("delta", ttl=5)
    clock.now += 6
    log = store.log()
    for wrong, kind in (([1], LookupError), ([9], LookupError), ([late], LookupError), ([True], TypeError)):
        with pytest.raises(kind):
            store.inscribe("epsilon", derived_from=wrong)
    with pytest.raises(TypeError, match="list of their ids"):
        store.inscribe("epsilon", derived_from=2)  # type: ignore[arg-type]
    assert store.log() == log
    store.pin(2)
    assert store.inscribe_many(["epsilon", "zeta"], derived_from=[2, 3, 2]) == [5, 6]
    assert [(event.memory_id, event.successor_id) for event in store.log() if event.operation == "derive"] == [
        (2, 5),
        (3, 5),
        (2, 6),
        (3, 6),
    ]


def test_a_derivation_is_no_supersession_and_no_state(store: Store) -> None:
    first = store.inscribe("alpha")
    second = store.inscribe("beta", derived_from=[first])
    assert len(store.blame(second)) == 1
    for seq in range(store.last_seq() + 1):
        assert len(store.memories(at=seq)) == min(seq, 2)
    assert ids(store.recall("alpha", 2, at=3)) == ids(store.recall("alpha", 2))


def test_what_is_relearned_may_be_derived() -> None:
    store = Store(embed=hash_embed, dim=DIM, key=Key(bytes(32)))
    store.inscribe("alpha")
    store.purge(store.inscribe("beta"), stay_forgotten=True)
    assert store.relearn("beta", derived_from=[1]) == 3
    receipt = store.purge(1, with_line=True, stay_forgotten=True)
    assert receipt.went_with == {3: 1} and store.verify(receipt)
    with pytest.raises(StaysForgotten):
        store.inscribe("beta")


def test_nothing_derived_is_left_in_the_file(path: Path, file_store: Store) -> None:
    source = file_store.inscribe("the xylophone is at the bakery")
    file_store.inscribe("marimba and glockenspiel", derived_from=[source])
    assert b"glockenspiel" in b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert file_store.purge(source, with_line=True).complete
    content = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert not any(word in content for word in (b"xylophone", b"marimba", b"glockenspiel", b"glocken"))


def test_a_receipt_of_before_names_what_was_asked(store: Store) -> None:
    store.inscribe("alpha")
    receipt = PurgeReceipt.from_json(store.purge(1).to_json())
    assert receipt.asked == (1,) and receipt.went_with == {}
    assert len(json.loads(receipt.events[0])) == 8
