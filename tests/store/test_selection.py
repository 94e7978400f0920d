"""Forgetting addressed by a query."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pytest

from lethe.store import PINNED, NothingMeets, Store, Surrendered, largest_gap_threshold
from lethe.store.surrender import SurrenderMode
from tests.support.tracing import statements

SIMILARITIES = {"best": 0.9, "good": 0.86, "fair": 0.5, "poor": 0.48}


def embed_by_similarity(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Unit vectors whose 1 - d/2 to any other text's vector is given by their first word."""
    similarities = np.array([SIMILARITIES.get(text.split()[0], 1.0) for text in texts])
    angles = 2 * np.arcsin(1 - similarities)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


@pytest.fixture
def planar() -> Store:
    store = Store(embed=embed_by_similarity, dim=2)
    store.inscribe_many(["fair c", "best a", "poor d", "good b"])
    return store


def depths(store: Store) -> dict[str, float]:
    return {memory.text: memory.depth for memory in store.memories(include_submerged=True)}


def test_release_takes_what_stands_above_the_largest_gap(planar: Store) -> None:
    assert sorted(planar.release_matching("query")) == [2, 4]
    assert depths(planar) == {"fair c": 1.0, "best a": 0.0, "poor d": 1.0, "good b": 0.0}


def test_release_without_a_gap_takes_what_is_within_five_percent_of_the_top() -> None:
    SIMILARITIES.update(near1=0.80, near2=0.77, near3=0.745)
    with Store(embed=embed_by_similarity, dim=2) as store:
        store.inscribe_many(["near1 a", "near2 b", "near3 c"])
        assert store.release_matching("query") == [1, 2]  # 0.76 = 0.95 * 0.80


def test_release_keeps_pinned_memories_but_counts_them(planar: Store) -> None:
    planar.pin(2)
    assert planar.release_matching("query") == [4]
    assert depths(planar)["best a"] == PINNED


def test_release_leaves_what_has_the_word_and_is_far() -> None:
    with Store(embed=embed_by_similarity, dim=2) as store:
        store.inscribe_many([f"best {i}" for i in range(19)])
        store.inscribe("poor needle")
        assert store.release_matching("needle") == list(range(1, 20))
        assert store.memory(20).depth == 1.0


def test_release_looks_at_20_candidates() -> None:
    with Store(embed=embed_by_similarity, dim=2) as store:
        store.inscribe_many([f"best {i}" for i in range(25)])
        assert store.release_matching("query") == list(range(1, 21))


def test_release_in_an_empty_store(store: Store) -> None:
    assert store.release_matching("anything", floor=None) == []


def test_the_threshold_is_the_published_function(planar: Store) -> None:
    similarities = [memory.similarity for memory in planar.recall("query", 20)]
    threshold = largest_gap_threshold(similarities)
    expected = {memory.memory_id for memory in planar.recall("query", 20) if memory.similarity >= threshold}
    assert set(planar.release_matching("query")) == expected


def test_decay_takes_the_same_memories(planar: Store) -> None:
    assert sorted(planar.decay_matching("query", 0.5)) == [2, 4]
    assert depths(planar) == {"fair c": 1.0, "best a": 0.5, "poor d": 1.0, "good b": 0.5}


def test_supersede_replaces_the_nearest_vector_not_the_best_words(planar: Store) -> None:
    assert planar.supersede_matching("poor d", "new fact") == 5
    # the query "poor d" lies at 0.48: nearest is the memory with its very text
    assert depths(planar)["poor d"] == 0.0
    assert planar.supersede_matching("query c", "newer fact") == 6
    assert depths(planar)["new fact"] == 0.0
    assert depths(planar)["fair c"] == 1.0
    assert [entry.text for entry in planar.blame(6)] == ["poor d", "new fact", "newer fact"]


def test_supersede_passes_over_what_says_the_new_fact_already(planar: Store) -> None:
    planar.supersede_matching("query", "BEST  a")
    assert (depths(planar)["best a"], depths(planar)["good b"]) == (1.0, 0.0)


def test_the_preview_of_a_supersede_passes_over_what_says_the_new_fact_already(planar: Store) -> None:
    for floor in (0.1, None):
        shown = planar.selected("query", "supersede", text="best a", floor=floor)
        successor = planar.supersede_matching("query", "best a", floor=floor)
        assert [memory.memory_id for memory in shown] == [entry.memory_id for entry in planar.blame(successor)][:-1]
        planar.purge(successor)
    with pytest.raises(ValueError, match="only supersede"):
        planar.selected("query", "edit", text="best a")


def test_supersede_without_a_floor_takes_an_equal_memory_too_as_published(planar: Store) -> None:
    planar.supersede_matching("query", "best a", floor=None)
    assert depths(planar)["good b"] == 1.0


def test_supersede_in_an_empty_store_inscribes(store: Store) -> None:
    assert store.supersede_matching("anything", "new fact", floor=None) == 1
    assert [event.operation for event in store.log()] == ["inscribe"]


def test_supersede_by_query_keeps_a_pinned_memory(planar: Store) -> None:
    planar.pin(2)
    assert planar.supersede_matching("query", "best too") == 5
    assert depths(planar) == {"fair c": 1.0, "best a": PINNED, "poor d": 1.0, "good b": 1.0, "best too": 1.0}
    assert len(planar.blame(5)) == 1


def test_edit_by_query(planar: Store, store: Store) -> None:
    assert planar.edit_matching("query", "best new") == 2
    assert "best a" not in depths(planar)
    planar.pin(2)
    for refusing in (planar, store):
        with pytest.raises(LookupError, match="pinned"):
            refusing.edit_matching("query", "other", floor=None)


def test_purge_erases_equal_texts_only(store: Store) -> None:
    ids = store.inscribe_many(
        [
            "Anna's PIN is 1234",
            "anna's  pin is 1234",
            "Ａnna's PIN is 1234",  # full-width A: equal under NFKC
            "Anna's PIN is 1235",
            "Anna likes tea",
            "ANNA'S PIN IS\n1234",
        ]
    )
    store.release(ids[1])
    store.pin(ids[5])
    receipt = store.purge_matching("what is the PIN 1234 of Anna's?")
    assert receipt.memory_ids == (ids[0], ids[1], ids[2], ids[5])
    assert [memory.memory_id for memory in store.memories(include_submerged=True)] == [ids[3], ids[4]]


def test_purge_by_words_needs_a_live_match_but_only_one_word(store: Store) -> None:
    store.inscribe_many(["alpha one", "beta two"])
    assert store.purge_matching("gamma", floor=None).memory_ids == ()
    assert store.purge_matching("?!", floor=None).memory_ids == ()
    assert store.purge_matching("gamma delta beta", floor=None).memory_ids == (2,)
    store.release(1)
    assert store.purge_matching("alpha", floor=None).memory_ids == ()


@pytest.mark.parametrize("query", ["alpha one", "alpha"])
def test_purge_takes_every_equal_memory_however_many(store: Store, query: str) -> None:
    store.inscribe_many(["alpha one"] * 25)
    store.release(7)
    assert store.selected(query, "purge") == [store.memory(number) for number in range(1, 26)]
    assert store.purge_matching(query).memory_ids == tuple(range(1, 26))


@pytest.mark.parametrize(
    ("texts", "query", "erased"),
    [
        (
            ["The\u0301re\u0300se Mu\u0308ller", "Thérèse Müller Müller Thérèse"],
            "The\u0301re\u0300se Mu\u0308ller",
            (1,),
        ),
        (["The\u0301re\u0300se Mu\u0308ller", "Thérèse Müller Müller Thérèse"], "Thérèse Müller", (1,)),
        (["alarm code alarm code alarm code", "alarm code"], "alarm code", (2,)),
        (["🎂🎈", "🎂"], "🎂🎈", (1,)),
        (["???", "?"], "???", (1,)),
        (["I ❤ tea", "I ❤\ufe0f tea", "I love tea"], "I ❤\ufe0f tea", (1, 2)),
    ],
)
def test_purge_by_its_own_text_is_decided_by_equality(
    store: Store, texts: list[str], query: str, erased: tuple[int, ...]
) -> None:
    store.inscribe_many(texts)
    assert tuple(memory.memory_id for memory in store.selected(query, "purge")) == erased
    assert store.purge_matching(query).memory_ids == erased


def test_purge_by_text_stays_in_its_scope_and_takes_current_texts_alone(store: Store) -> None:
    store.within(owner="ann").inscribe("alpha one")
    store.within(owner="ben").inscribe("alpha one")
    store.within(owner="ben").inscribe("alpha one")
    store.edit(3, "beta")
    assert store.within(owner="ben").purge_matching("Alpha one.").memory_ids == (2,)


def test_surrender_by_id(store: Store) -> None:
    store.inscribe_many(["alpha one", "beta two", "gamma three", "delta four", "epsilon five"])
    assert store.surrender(1, "decay") == Surrendered((1,))
    assert store.surrender(1, "decay", factor=0.5) == Surrendered((1,))
    assert store.surrender(2, "release") == Surrendered((2,))
    assert store.surrender(3, "supersede", text="gamma new") == Surrendered((3,), successor_id=6)
    assert store.surrender(4, "edit", text="delta new") == Surrendered((4,))
    purged = store.surrender(5, "purge")
    assert purged.memory_ids == (5,)
    assert purged.receipt is not None
    assert store.verify(purged.receipt)
    assert depths(store) == {
        "alpha one": 0.25,
        "beta two": 0.0,
        "gamma three": 0.0,
        "delta new": 1.0,
        "gamma new": 1.0,
    }


def test_surrender_by_query(planar: Store) -> None:
    assert set(planar.surrender("query", "decay", factor=0.5).memory_ids) == {2, 4}
    assert planar.surrender("query", "edit", text="best z") == Surrendered((2,))
    assert planar.surrender("query", "supersede", text="good z") == Surrendered((2,), successor_id=5)
    assert set(planar.surrender("query", "release").memory_ids) == {4, 5}
    assert planar.surrender("fair c", "purge").memory_ids == (1,)
    assert depths(planar) == {"best z": 0.0, "poor d": 1.0, "good b": 0.0, "good z": 0.0}


def test_surrender_that_supersedes_nothing(planar: Store) -> None:
    planar.pin(2)
    assert planar.surrender("query", "supersede", text="alpha") == Surrendered((), successor_id=5)


ASKED: dict[str, Callable[..., object]] = {
    "decay": lambda store, **floor: store.decay_matching("query fair", 0.5, **floor),
    "release": lambda store, **floor: store.release_matching("query fair", **floor),
    "supersede": lambda store, **floor: store.supersede_matching("query fair", "best new", **floor),
    "edit": lambda store, **floor: store.edit_matching("query fair", "best new", **floor),
    "purge": lambda store, **floor: store.purge_matching("query fair", **floor),
}


@pytest.mark.parametrize("mode", ASKED)
def test_what_no_memory_meets_changes_nothing_unless_asked(planar: Store, mode: SurrenderMode) -> None:
    before = planar.log()
    with pytest.raises(NothingMeets, match="the closest are 2 'best a', 4 'good b', 1 'fair c'") as caught:
        ASKED[mode](planar, floor=0.95)
    assert caught.value.candidates == (2, 4, 1)
    with pytest.raises(NothingMeets):
        planar.selected("query fair", mode, floor=0.95)
    assert planar.log() == before
    ASKED[mode](planar, floor=None)
    assert planar.log() != before


@pytest.mark.parametrize("mode", ["release", "supersede", "edit", "purge"])
def test_an_empty_store_meets_nothing(store: Store, mode: SurrenderMode) -> None:
    with pytest.raises(NothingMeets, match="none is live"):
        store.surrender("query", mode, text="new" if mode in ("supersede", "edit") else None)


def test_a_release_stops_at_the_floor(planar: Store) -> None:
    assert planar.release_matching("query", floor=0.88) == [2]


@pytest.mark.parametrize(
    ("mode", "arguments"),
    [
        ("forget", {}),
        ("supersede", {}),
        ("edit", {}),
        ("release", {"text": "beta"}),
        ("purge", {"factor": 0.5}),
        ("edit", {"text": "beta", "factor": 0.5}),
    ],
)
def test_surrender_refuses_wrong_arguments(store: Store, mode: str, arguments: dict[str, object]) -> None:
    store.inscribe("alpha")
    with pytest.raises(ValueError, match=r"mode|text|factor"):
        store.surrender(1, mode, **arguments)  # type: ignore[arg-type]
    assert depths(store) == {"alpha": 1.0}


@pytest.mark.parametrize("floor", [1j, "high", float("nan"), float("inf"), [0.3]])
def test_a_floor_is_a_number(planar: Store, floor: float) -> None:
    acts: list[Callable[[], object]] = [
        lambda: planar.release_matching("best a", floor=floor),
        lambda: planar.decay_matching("best a", 0.5, floor=floor),
        lambda: planar.supersede_matching("best a", "new", floor=floor),
        lambda: planar.edit_matching("best a", "new", floor=floor),
        lambda: planar.purge_matching("best a", floor=floor),
        lambda: planar.selected("best a", "purge", floor=floor),
    ]
    for act in acts:
        with pytest.raises(ValueError, match="floor must be a finite number"):
            act()
    assert planar.last_seq() == 4


def test_equal_texts_are_found_by_the_index_of_their_hashes(store: Store) -> None:
    store.inscribe_many(["alpha", "beta"])
    connection = store._database.connection
    with statements(connection) as asked:
        assert len(store.selected("alpha", "purge")) == 1
    queries = {sql for sql in asked if sql.startswith("SELECT memory_id FROM memory") or "FROM form" in sql}
    assert len(queries) == 2
    for query in queries:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {query}", ("[]",) * query.count("?")).fetchall()
        assert not [row for row in plan if "SCAN memory" in str(row) or "SCAN form" in str(row)]
