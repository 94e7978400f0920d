import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lethe.store import PINNED, SUBMERGED, SURFACE, Inscribed, Key, Memory, StaysForgotten, Store
from tests.support.hash_embedder import DIM, Clock, hash_embed


def depth(store: Store, memory_id: int) -> float:
    return {memory.memory_id: memory.depth for memory in store.memories(include_submerged=True)}[memory_id]


def recalled(store: Store, query: str) -> set[int]:
    lexical = {memory.memory_id for memory in store.recall(query, mode="lexical")}
    vector = {memory.memory_id for memory in store.recall(query, mode="vector")}
    assert lexical == vector
    return lexical


def operations(store: Store, memory_id: int) -> list[str]:
    return [event.operation for event in store.log(memory_id)]


def without_counters(store: Store) -> bytes:
    """A store's bytes without its identity and the header's counters of changes to the file and to its schema."""
    database = store.stored_bytes()
    ((identity,),) = store._database.connection.execute("SELECT identity FROM store").fetchall()
    assert database.count(identity) == 1
    return (database[:24] + database[28:40] + database[44:92] + database[100:]).replace(identity, b"")


def test_inscribed_memories_are_at_the_surface(store: Store) -> None:
    assert store.inscribe("alpha one") == 1
    assert store.inscribe_many(["alpha two", "alpha three"]) == [2, 3]
    assert store.inscribe_many([]) == []
    assert store.memories() == [Memory(1, "alpha one", 1.0), Memory(2, "alpha two", 1.0), Memory(3, "alpha three", 1.0)]
    assert store.count() == 3


@pytest.mark.parametrize("text", ["", "  ", "\n\t", "a\ud800b"])
def test_texts_that_cannot_be_kept_are_refused(store: Store, text: str) -> None:
    kept = store.inscribe("alpha")
    for change in (
        lambda: store.inscribe_many(["good", text]),
        lambda: store.supersede(kept, text),
        lambda: store.edit(kept, text),
        lambda: store.supersede_matching("alpha", text),
        lambda: store.edit_matching("alpha", text),
    ):
        with pytest.raises(ValueError, match=r"nothing can be seen|surrogate"):
            change()
    assert store.memories(include_submerged=True) == [Memory(1, "alpha", 1.0)]


@pytest.mark.parametrize("text", ["a\0b hidden", "naïve Ärger 日本語", "👩‍👩‍👧 family", "word " * 30_000, "'\";--"])
def test_texts_round_trip(store: Store, text: str) -> None:
    memory_id = store.inscribe(text)
    store.inscribe("something else")
    assert store.recall(text, 1, mode="vector")[0].text == text
    store.release(memory_id)
    store.pin(memory_id)
    assert store.memories()[0] == Memory(memory_id, text, PINNED)
    store.purge(memory_id)
    assert store.recall("hidden family word Ärger", mode="lexical") == []


def test_text_after_a_nul_is_indexed(store: Store) -> None:
    store.inscribe("open\0hidden")
    assert [memory.memory_id for memory in store.recall("hidden", mode="lexical")] == [1]


@pytest.mark.parametrize(
    "vectors", [np.zeros((2, DIM)), np.zeros((1, DIM + 1)), np.zeros(DIM), np.full((1, DIM), np.nan)]
)
def test_a_wrong_embedder_is_refused(vectors: np.ndarray) -> None:
    with Store(embed=lambda texts: vectors.astype(np.float32), dim=DIM) as store:
        with pytest.raises(ValueError, match="embedder"):
            store.inscribe("alpha")
        assert store.count() == 0


@pytest.mark.parametrize("dim", [0, -1, 8193])
def test_wrong_sizes_are_refused(dim: int) -> None:
    with pytest.raises(ValueError, match="between 1 and 8192"):
        Store(embed=hash_embed, dim=dim)


def test_release_submerges(store: Store) -> None:
    store.inscribe_many(["alpha one", "alpha two"])
    store.release(1)
    assert recalled(store, "alpha") == {2}
    assert store.memories() == [Memory(2, "alpha two", 1.0)]
    assert store.memories(include_submerged=True)[0] == Memory(1, "alpha one", SUBMERGED)
    assert (store.count(), store.count(include_submerged=True)) == (1, 2)
    store.release(1)
    assert operations(store, 1) == ["inscribe", "release"]


def test_pin_brings_a_submerged_memory_back(store: Store) -> None:
    store.inscribe("alpha one")
    store.release(1)
    store.pin(1)
    assert recalled(store, "alpha") == {1}
    assert depth(store, 1) == math.inf
    store.pin(1)
    store.unpin(1)
    assert depth(store, 1) == SURFACE
    store.unpin(1)
    assert operations(store, 1) == ["inscribe", "release", "pin", "unpin"]


def test_unpin_leaves_an_unpinned_memory_where_it_is(store: Store) -> None:
    store.inscribe("alpha one")
    store.decay(1, 0.5)
    store.unpin(1)
    assert depth(store, 1) == 0.5


def test_decay_multiplies_and_submerges_below_the_floor(store: Store) -> None:
    store.inscribe("alpha one")
    assert store.decay(1, 0.5) == 0.5
    assert store.decay(1, 0.1) == 0.05
    assert recalled(store, "alpha") == {1}
    assert store.decay(1, 0.99) == SUBMERGED
    assert recalled(store, "alpha") == set()
    assert store.decay(1, 0.5) == SUBMERGED
    assert operations(store, 1) == ["inscribe", "decay", "decay", "decay"]


def test_decay_never_moves_a_pinned_memory(store: Store) -> None:
    store.inscribe("alpha one")
    store.pin(1)
    assert store.decay(1, 0.01) == PINNED
    assert operations(store, 1) == ["inscribe", "pin"]


@pytest.mark.parametrize("factor", [0.0, 1.0, -0.5, 2.0, math.nan])
def test_decay_factors_lie_between_0_and_1(store: Store, factor: float) -> None:
    store.inscribe("alpha one")
    for change in (lambda: store.decay(1, factor), lambda: store.decay_matching("alpha", factor)):
        with pytest.raises(ValueError, match="factor"):
            change()
    assert depth(store, 1) == 1.0


def test_supersede_links_predecessor_and_successor(store: Store, clock: Clock) -> None:
    start = clock.now
    first = store.inscribe("lives in Rome")
    clock.pass_days(1)
    second = store.supersede(first, "lives in Oslo")
    clock.pass_days(1)
    third = store.supersede(second, "lives in Lima")
    assert recalled(store, "lives") == {third}
    day = 86_400.0
    history = [
        (
            entry.memory_id,
            entry.text,
            entry.inscribed_at - start,
            entry.superseded_at and entry.superseded_at - start,
        )
        for entry in store.blame(third)
    ]
    assert history == [
        (first, "lives in Rome", 0.0, day),
        (second, "lives in Oslo", day, 2 * day),
        (third, "lives in Lima", 2 * day, None),
    ]
    assert [entry.memory_id for entry in store.blame(second)] == [first, second]
    store.purge(second)
    assert [entry.text for entry in store.blame(third)] == ["lives in Rome", None, "lives in Lima"]
    (event,) = [event for event in store.log(first) if event.operation == "supersede"]
    assert (event.depth_before, event.depth_after, event.successor_id) == (1.0, 0.0, second)


@pytest.mark.parametrize("prepare", [Store.release, Store.pin])
def test_supersede_by_id_takes_submerged_and_pinned_memories(store: Store, prepare: object) -> None:
    store.inscribe("lives in Rome")
    prepare(store, 1)  # type: ignore[operator]
    assert store.supersede(1, "lives in Oslo") == 2
    assert recalled(store, "lives") == {2}
    assert depth(store, 1) == SUBMERGED
    assert [entry.memory_id for entry in store.blame(2)] == [1, 2]


def test_edit_keeps_id_and_depth_and_adds_a_version(store: Store) -> None:
    store.inscribe_many(["lives in Rome", "other fact"])
    store.decay(1, 0.5)
    store.edit(1, "sleeps at Oslo")
    assert store.memories()[0] == Memory(1, "sleeps at Oslo", 0.5)
    assert store.recall("Rome lives", mode="lexical") == []
    assert recalled(store, "Oslo sleeps fact") >= {1}
    assert store.recall("sleeps at Oslo", 1, mode="vector")[0].similarity == pytest.approx(0.5 + 0.5)
    versions = [event.version_id for event in store.log(1)]
    assert versions[-1] > versions[0]


def test_an_edited_submerged_memory_stays_out_of_recall_and_returns_with_its_new_text(store: Store) -> None:
    store.inscribe("lives in Rome")
    store.release(1)
    store.edit(1, "sleeps at Oslo")
    assert recalled(store, "Oslo") == set()
    store.pin(1)
    assert store.recall("sleeps at Oslo", mode="vector")[0].similarity == pytest.approx(1.0)
    assert [memory.text for memory in store.recall("Oslo", mode="lexical")] == ["sleeps at Oslo"]


def test_unknown_and_purged_ids_are_told_apart(store: Store) -> None:
    store.inscribe("alpha one")
    store.purge(1)
    for memory_id, message in ((1, "was purged"), (2, "there is no")):
        for change in (
            lambda i: store.decay(i, 0.5),
            store.release,
            store.pin,
            store.unpin,
            lambda i: store.supersede(i, "beta"),
            lambda i: store.edit(i, "beta"),
            lambda i: store.touch([i]),
        ):
            with pytest.raises(LookupError, match=message):
                change(memory_id)
    for look in (store.purge, store.blame, store.log):
        with pytest.raises(LookupError, match="there is no"):
            look(2)  # type: ignore[operator]
    assert store.memories(include_submerged=True) == []
    assert store.last_seq() == 2


def test_a_failed_change_changes_nothing(store: Store) -> None:
    store.inscribe_many(["alpha one", "alpha two"])
    with pytest.raises(LookupError):
        store.purge_many([1, 99])
    assert recalled(store, "alpha") == {1, 2}
    assert store.last_seq() == 2


def test_reset_leaves_the_state_of_a_new_store(store: Store, clock: Clock) -> None:
    store.inscribe_many(["alpha one", "alpha two"])
    store.purge(1)
    store.consolidate()
    store.recall("alpha", at=1)
    store.reset()
    with Store(embed=hash_embed, dim=DIM, clock=clock) as fresh:
        assert without_counters(store) == without_counters(fresh)
    assert store.recall("alpha") == []
    assert store.inscribe("alpha three") == 1
    assert recalled(store, "alpha") == {1}
    assert [memory.text for memory in store.recall("alpha", at=1)] == ["alpha three"]


def test_two_stores_at_once_are_apart(store: Store, clock: Clock) -> None:
    with Store(embed=hash_embed, dim=DIM, clock=clock) as other:
        store.inscribe("alpha one")
        other.inscribe("beta two")
        assert [memory.text for memory in store.recall("beta")] == ["alpha one"]
        assert [memory.text for memory in other.recall("beta")] == ["beta two"]


def test_pages_are_stable(store: Store) -> None:
    ids = store.inscribe_many([f"fact {number}" for number in range(10)])
    ann = store.within(owner="ann").inscribe("of Ann")
    first = store.memories(limit=4)
    store.purge(ids[0])
    store.release(ids[5])
    store.inscribe("told meanwhile")
    rest = store.memories(after=first[-1].memory_id)
    assert [memory.memory_id for memory in first + rest] == [*ids[:5], *ids[6:], ann, ann + 1]
    assert [memory.memory_id for memory in store.memories(True, after=ids[4], limit=1)] == [ids[5]]
    assert [memory.memory_id for memory in store.memories(at=10, after=ids[1], limit=2)] == ids[2:4]
    assert [memory.memory_id for memory in store.within(owner="ann").memories(after=2)] == [ann]
    assert store.memories(limit=0) == []
    assert [event.seq for event in store.log(since=3, limit=2)] == [4, 5]
    with pytest.raises(ValueError, match="limit must be at least 0"):
        store.memories(limit=-1)
    with pytest.raises(LookupError):
        store.memories(after=2**70)


def test_nothing_is_left_out_unless_it_is_asked_for(store: Store) -> None:
    assert store.inscribe_many(["Ines likes tea."] * 2) == [1, 2]
    assert store.inscribe("Ines likes tea.") == 3


def test_what_is_told_once(store: Store, clock: Clock) -> None:
    first = store.inscribe_once("Ines likes tea.")
    assert first == Inscribed(1, is_new=True)
    log = store.log()
    assert store.inscribe_once("  INES likes\u200b tea") == Inscribed(1, is_new=False)
    assert store.log() == log
    ann = store.within(owner="ann")
    assert ann.inscribe_once("Ines likes tea.") == Inscribed(2, is_new=True)
    assert ann.within(session="may").inscribe_once("Ines likes tea.") == Inscribed(3, is_new=True)
    assert store.inscribe_once("Ines likes tea.") == Inscribed(1, is_new=False)
    store.release(1)
    assert store.inscribe_once("Ines likes tea.") == Inscribed(4, is_new=True)
    brief = store.within(source="mail")
    assert brief.inscribe_once("Tom rows.", ttl=60) == Inscribed(5, is_new=True)
    assert brief.inscribe_once("Tom rows.", ttl=30) == Inscribed(5, is_new=False)
    assert brief.inscribe_once("Tom rows.", ttl=90) == Inscribed(6, is_new=True)
    assert brief.inscribe_once("Tom rows.") == Inscribed(7, is_new=True)
    clock.pass_days(1)
    assert brief.inscribe_once("Tom rows.", ttl=30) == Inscribed(7, is_new=False)


def test_what_is_near_counts_as_told_only_where_that_is_asked_for(store: Store) -> None:
    store.inscribe_many([f"the code of house {number}" for number in range(40)])
    ann = store.within(owner="ann")
    told = ann.inscribe("the code is here")
    near = "the code is there"
    similarity = ann.recall(near, 1, mode="vector")[0].similarity
    assert ann.inscribe_once(near, min_similarity=similarity) == Inscribed(told, is_new=False)
    assert store.inscribe_once("the code of house", min_similarity=0.5).is_new is False
    assert ann.inscribe_once(near, min_similarity=similarity + 1e-6).is_new
    assert store.inscribe_once("the code is here", min_similarity=0.999).is_new
    with pytest.raises(ValueError, match="min_similarity must be a finite number"):
        store.inscribe_once(near, min_similarity=float("nan"))


def test_a_text_that_is_to_stay_forgotten_is_not_told_once(path: Path) -> None:
    with Store(path, embed=hash_embed, dim=DIM, key=Key(bytes(32))) as store:
        first, _ = store.inscribe_many(["the code"] * 2)
        store.purge(first, stay_forgotten=True)
        with pytest.raises(StaysForgotten):
            store.inscribe_once("The code")


@pytest.mark.parametrize("key", [None, Key(bytes(32))])
def test_the_end_of_a_memory_can_be_moved(path: Path, clock: Clock, key: Key | None) -> None:
    with Store(path, embed=hash_embed, dim=DIM, clock=clock, key=key) as store:
        ann = store.within(owner="ann")
        memory = ann.inscribe("the key is here", ttl=60)
        ann.edit(memory, "the key is there")
        before = store.last_seq()
        with pytest.raises(LookupError):
            store.within(owner="ben").move_end(memory, None)
        ann.move_end(memory, 3 * 86_400)
        clock.pass_days(1)
        assert [found.memory_id for found in store.recall("key")] == [memory]
        assert store.memory(memory).expires_at == clock() + 2 * 86_400
        assert [(event.operation, event.version_id) for event in store.log(memory, since=before)] == [
            ("commit", 1),
            ("commit", 2),
        ]
        assert store.memories(at=1)[0].text == "the key is here"
        ann.move_end(memory, None)
        clock.pass_days(3)
        assert store.memory(memory).expires_at is None
        ann.move_end(memory, 1)
        assert store.audit() == [] and store.head().size == store.last_seq()
        clock.pass_days(1)
        with pytest.raises(LookupError):
            ann.move_end(memory, 60)
        assert store.recall("key") == []
    with Store(path, embed=hash_embed, dim=DIM, clock=clock, key=key) as store:
        receipt = store.purge_expired()
        assert receipt.memory_ids == (memory,) and receipt.versions_erased == 2 and store.verify(receipt)
        assert store.audit() == []


@pytest.mark.parametrize("given", [5, {"text": "x"}])
def test_what_is_loaded_is_of_another_store(store: Store, given: Any) -> None:
    with pytest.raises(TypeError, match="what is loaded must be a Memory, not "):
        store.load([given])


@pytest.mark.parametrize("depth", [0, -0.0, 1, Decimal("0.5"), np.float32(0.5), np.float32("inf")])
def test_a_depth_and_an_end_that_are_loaded_are_numbers_as_the_log_has_them(path: Path, depth: Any) -> None:
    for turn in range(2):
        with Store(path, embed=hash_embed, dim=DIM, key=Key(bytes(32)), clock=lambda: -5.0) as store:
            if turn == 0:
                store.load([Memory(1, "alpha", depth, expires_at=-0.0)])
            (found,) = store.memories(include_submerged=True)
            assert (found.depth, found.expires_at) == (depth, 0.0)
            assert store.audit() == []


@pytest.mark.parametrize("depth", [-0.1, 1.5, math.nan, "1", None, True])
def test_what_is_no_depth_is_not_loaded(store: Store, depth: Any) -> None:
    with pytest.raises(ValueError, match="a depth"):
        store.load([Memory(1, "alpha", depth)])


@pytest.mark.parametrize("given", [None, 5])
def test_an_embedder_has_a_name(tmp_path: Path, given: Any) -> None:
    with (
        Store(tmp_path / "store.db") as store,
        pytest.raises(TypeError, match="an embedder's name must be a str, not "),
    ):
        store.reembed(given)


@pytest.mark.parametrize("ttl", [np.float32(60), Decimal(60), Fraction(60)])
def test_a_time_to_live_is_a_number_of_any_kind(store: Store, clock: Clock, ttl: Any) -> None:
    told = [store.inscribe("alpha", ttl=ttl), store.inscribe_once("beta", ttl=ttl).memory_id, store.inscribe("gamma")]
    store.move_end(told[-1], ttl)
    assert [store.memory(memory_id).expires_at for memory_id in told] == [clock.now + 60.0] * 3
