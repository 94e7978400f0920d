import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lethe.store import PINNED, Memory, Recalled, Store
from lethe.store.depth import FLOOR, aged, promoted, sunk
from lethe.store.recall import Mode
from tests.support.hash_embedder import DIM, Clock, hash_embed

DEPTHS = st.one_of(st.just(PINNED), st.just(0.0), st.floats(FLOOR, 1.0))


def depths(store: Store) -> list[float]:
    return [memory.depth for memory in store.memories(include_submerged=True)]


def test_a_memory_without_use_halves_per_half_life(store: Store, clock: Clock) -> None:
    store.inscribe("alpha one")
    clock.pass_days(10)
    store.inscribe("alpha two")
    clock.pass_days(20)
    assert store.consolidate(half_life_days=30) == 2
    assert depths(store) == pytest.approx([0.5, 2 ** (-20 / 30)])


def test_time_before_the_last_consolidation_counts_once(store: Store, clock: Clock) -> None:
    store.inscribe("alpha one")
    clock.pass_days(30)
    store.consolidate()
    assert store.consolidate() == 0
    clock.pass_days(30)
    assert store.consolidate() == 1
    assert depths(store) == pytest.approx([0.25])
    assert store.consolidate(now=clock.now - 86_400) == 0
    assert store.consolidate() == 0


def test_an_unused_memory_ends_out_of_recall(store: Store, clock: Clock) -> None:
    store.inscribe("alpha one")
    clock.pass_days(150)
    store.consolidate(half_life_days=30)
    assert depths(store) == [0.0]
    assert store.recall("alpha") == []
    assert store.consolidate(now=clock.now + 1e9) == 0


def test_each_use_halves_the_distance_to_the_surface(store: Store, clock: Clock) -> None:
    store.inscribe_many(["alpha one", "alpha two", "alpha three"])
    for memory_id in (1, 2):
        store.decay(memory_id, 0.5)
    clock.pass_days(90)
    store.touch([1])
    store.touch([2])
    store.touch([2, 3])
    assert store.consolidate() == 2
    assert depths(store) == [0.75, 0.875, 1.0]
    assert store.consolidate() == 0  # the uses have been counted


def test_time_since_a_use_is_what_counts(store: Store, clock: Clock) -> None:
    store.inscribe("alpha one")
    clock.pass_days(60)
    store.touch([1])
    assert store.consolidate() == 0
    clock.pass_days(30)
    store.consolidate(half_life_days=30)
    assert depths(store) == [0.5]


def test_recall_touches_when_asked(store: Store, clock: Clock) -> None:
    store.inscribe_many(["alpha one", "beta two"])
    clock.pass_days(30)
    store.recall("alpha", 1, mode="lexical", touch=True)
    store.recall("beta", 1, mode="lexical")
    store.consolidate(half_life_days=30)
    assert depths(store) == [1.0, 0.5]


def test_a_released_memory_does_not_rise_by_earlier_or_later_use(store: Store) -> None:
    store.inscribe("alpha one")
    store.touch([1])
    store.release(1)
    store.touch([1])
    assert store.consolidate() == 0
    assert depths(store) == [0.0]


def test_use_while_submerged_does_not_count(store: Store, clock: Clock) -> None:
    store.inscribe("alpha one")
    store.release(1)
    clock.pass_days(30)
    store.touch([1])
    store.pin(1)
    store.unpin(1)
    store.consolidate(half_life_days=30)
    assert depths(store) == [0.5]


def test_pinned_memories_are_not_moved(store: Store, clock: Clock) -> None:
    store.inscribe_many(["alpha one", "alpha two"])
    store.pin(1)
    store.pin(2)
    store.touch([2])
    clock.pass_days(1000)
    assert store.consolidate() == 0
    assert depths(store) == [PINNED, PINNED]


def test_a_night_writes_no_event_of_what_only_sinks(store: Store, clock: Clock) -> None:
    store.inscribe_many(["alpha one", "alpha two", "alpha three"])
    for _ in range(3):
        clock.pass_days(30)
        store.touch([3])
        assert store.consolidate() == 2
    assert depths(store) == [0.125, 0.125, 1.0]
    assert [event.memory_id for event in store.log()[3:]] == [3, 3, 3]
    store.touch([1])
    clock.pass_days(90)
    assert store.consolidate() == 3
    events = store.log()[6:]
    assert [(event.memory_id, event.depth_before, event.depth_after, event.at) for event in events] == [
        (1, 1.0, 0.5625, clock.now),
        (2, 1.0, 0.0, clock.now),
    ]
    assert depths(store) == [0.5625, 0.0, 0.125]
    assert store.verify_log()


def test_a_change_of_depth_has_in_it_what_had_sunk(store: Store, clock: Clock) -> None:
    store.inscribe_many(["alpha one", "alpha two", "alpha three"])
    clock.pass_days(30)
    store.consolidate()
    clock.pass_days(10)
    assert store.decay(1, 0.5) == 0.25
    store.pin(2)
    store.unpin(2)
    store.unpin(3)
    assert depths(store) == [0.25, 1.0, 0.5], "what was not pinned is not raised"
    clock.pass_days(20)
    store.consolidate()
    assert depths(store) == [0.125, 0.5, 0.25]


@pytest.mark.parametrize("mode", ["hybrid", "vector", "lexical"])
def test_what_sank_by_itself_is_weighted_in_recall(path: Path, clock: Clock, mode: Mode) -> None:
    with Store(path, embed=hash_embed, dim=DIM, clock=clock) as store:
        store.inscribe_many([f"alpha {number}" for number in range(200)])
        clock.pass_days(60)
        store.inscribe("beta alpha gamma")
        store.recall("alpha", 3, mode=mode)
        store.consolidate()
        best, second, *_ = store.recall("alpha", 5, mode=mode)
        assert (best.memory_id, best.depth, second.depth) == (201, 1.0, 0.25)
        every = store.recall("alpha", 300, mode=mode)
        assert len(every) == 201
        assert store.recall("alpha", 7, mode=mode) == every[:7]
        with Store(path, embed=hash_embed, dim=DIM) as other:
            assert other.recall("alpha", 300, mode=mode) == every
            other.consolidate(now=clock.now + 30 * 86_400)
        again = store.recall("alpha", 300, mode=mode)
        assert [memory.score for memory in again] == pytest.approx([memory.score / 2 for memory in every])


@pytest.mark.parametrize("half_life", [0.0, -1.0, math.inf, math.nan])
def test_half_lives_are_positive(store: Store, half_life: float) -> None:
    with pytest.raises(ValueError, match="half_life"):
        store.consolidate(half_life_days=half_life)


@given(depth=DEPTHS, factor=st.floats(0.0, 1.0))
def test_sinking_is_monotone_and_leaves_pins(depth: float, factor: float) -> None:
    lower = sunk(depth, factor)
    assert lower <= depth
    assert lower == 0.0 or lower >= FLOOR
    assert (lower == PINNED) == (depth == PINNED)


@given(depth=DEPTHS, days=st.floats(-10, 1e6), more=st.floats(0, 1e6))
def test_ageing_is_monotone_in_time(depth: float, days: float, more: float) -> None:
    assert aged(depth, days + more, 30.0) <= aged(depth, days, 30.0) <= depth


@given(depth=st.floats(FLOOR, 1.0), uses=st.integers(1, 2000))
def test_use_raises_at_most_to_the_surface(depth: float, uses: int) -> None:
    assert depth <= promoted(depth, uses) <= 1.0
    assert promoted(PINNED, uses) == PINNED


def test_an_earlier_state_has_sunk_as_it_had_then(path: Path, clock: Clock) -> None:
    """A real sequence: nights with and without use, changes between them, another half-life."""
    seen: dict[int, tuple[list[Memory], list[Recalled]]] = {}
    with Store(path, embed=hash_embed, dim=DIM, clock=clock) as store:

        def look() -> None:
            seen[store.last_seq()] = store.memories(include_submerged=True), store.recall("alpha", 9)

        store.inscribe_many([f"alpha {number}" for number in range(6)])
        look()
        for night in range(1, 40):
            clock.pass_days(night % 4 + 0.5)
            store.touch([1] if night % 3 else [1, 2])
            store.consolidate(half_life_days=30.0 if night < 25 else 50.0)
            look()
            {
                3: lambda: store.inscribe("alpha later"),
                7: lambda: store.decay(3, 0.5),
                11: lambda: store.pin(4),
                12: lambda: store.edit(5, "alpha five"),
                15: lambda: store.unpin(4),
                17: lambda: store.release(6),
                21: lambda: store.pin(6),
                26: lambda: store.unpin(6),
                30: lambda: store.supersede(2, "alpha two"),
            }.get(night, int)()
            look()
    assert len(seen) > 40
    with Store(path, embed=hash_embed, dim=DIM, clock=clock) as store:
        for seq, (memories, recalled) in seen.items():
            assert store.memories(include_submerged=True, at=seq) == memories
            assert store.recall("alpha", 9, at=seq) == recalled
        depths = [memories[2].depth for memories, _ in seen.values()]
        assert len(set(depths)) > 20, "it sank, and not by its events alone"
        assert store.purge(5).complete
        for seq, (memories, _) in seen.items():
            left = [memory for memory in memories if memory.memory_id != 5]
            assert store.memories(include_submerged=True, at=seq) == left
