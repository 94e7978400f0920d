from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import cos, radians, sin, sqrt
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lethe.store import Store, make_key
from lethe.store.recall import WIDTH, Recalled, Rerank
from tests.support.hash_embedder import DIM, Clock, hash_embed
from tests.support.tracing import statements

MODES = ("hybrid", "vector", "lexical")
ANGLES = {"query word": 0, "green leaf": 0, "word blue": 30, "word word": 60, "grey stone": 90}


def embed_by_angle(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Unit vectors in the plane at a known angle to the query "word"'s, so that distances are known."""
    angles = [radians(ANGLES.get(text, 0)) for text in texts]
    return np.array([[cos(angle), sin(angle)] for angle in angles], dtype=np.float32)


def planar_store(*texts: str) -> Store:
    store = Store(embed=embed_by_angle, dim=2)
    store.inscribe_many(texts)
    return store


def ids(recalled: Sequence[object]) -> list[int]:
    return [memory.memory_id for memory in recalled]  # type: ignore[attr-defined]


def test_similarity_is_one_minus_half_the_distance() -> None:
    store = planar_store("green leaf", "word blue", "grey stone")
    recalled = store.recall("word", mode="vector")
    assert [memory.similarity for memory in recalled] == pytest.approx(
        [1.0, 1 - sin(radians(15)), 1 - sin(radians(45))], abs=1e-6
    )
    assert [memory.score for memory in recalled] == [memory.similarity for memory in recalled]
    assert [memory.text for memory in recalled] == ["green leaf", "word blue", "grey stone"]


def test_a_recall_asks_an_unchanged_file_only_for_what_it_gives_and_a_changed_one_for_what_changed(
    tmp_path: Path,
) -> None:
    key = make_key(tmp_path / "key")
    store = Store(tmp_path / "memory.db", embed=hash_embed, dim=DIM, key=key)
    other = Store(tmp_path / "memory.db", embed=hash_embed, dim=DIM, key=key)
    store.inscribe_many(["green leaf", "word blue"])
    store.recall("word", mode="vector")

    def asked() -> list[str]:
        with statements(store._database.connection) as told:
            store.recall("word", mode="vector")
        return [sql for sql in told if "FROM store" in sql or "EXISTS" in sql or "version.vector" in sql]

    (reading,) = asked()
    assert "intact(" in reading
    other.inscribe("word again")
    assert len(asked()) > 1
    assert len(asked()) == 1
    with store.transaction():
        store.inscribe("word in a transaction")
        assert len(store.recall("word", mode="vector")) == 4
    assert len(store.recall("word", mode="vector")) == 4


def test_hybrid_adds_cosine_and_weighed_bm25() -> None:
    store = planar_store("green leaf", "word blue", "word word")
    bm25 = {memory.memory_id: memory.score for memory in store.recall("word", mode="lexical")}
    recalled = store.recall("word")
    assert [(memory.memory_id, memory.score) for memory in recalled] == [
        (1, pytest.approx(1.0)),
        (2, pytest.approx(cos(radians(30)) + 0.1 * bm25[2])),
        (3, pytest.approx(cos(radians(60)) + 0.1 * bm25[3])),
    ]
    (two, *_) = store.recall("word word sky", match="any")
    assert two.score == pytest.approx(max(1.0, cos(radians(30)) + 0.1 * bm25[2] / sqrt(2)))


def test_a_memory_found_by_its_words_alone_has_its_similarity() -> None:
    store = planar_store(*["green leaf"] * WIDTH, "word word")
    found = {memory.memory_id: memory.similarity for memory in store.recall("word", 200)}
    assert found[WIDTH + 1] == pytest.approx(1 - sin(radians(30)))


@pytest.mark.parametrize("mode", MODES)
def test_a_larger_k_only_adds_to_the_end(mode: str) -> None:
    with Store(embed=hash_embed, dim=DIM) as store:
        store.inscribe_many(
            [f"{a} {b} {a} number {n}" for n, (a, b) in enumerate(product("abcdefghijklmno", repeat=2))]
        )
        store.decay(3, 0.5)
        every = store.recall("a number b c", 300, mode=mode)
        assert mode == "lexical" or len(every) == 225
        assert [memory.score for memory in every] == sorted((memory.score for memory in every), reverse=True)
        for k in (1, 2, 10, WIDTH - 1, WIDTH, WIDTH + 1, 224):
            assert store.recall("a number b c", k, mode=mode) == every[:k]


def test_lexical_any_and_all(store: Store) -> None:
    store.inscribe_many(["red apple", "red car", "blue car", "green tree"])
    assert set(ids(store.recall("red car", mode="lexical"))) == {1, 2, 3}
    assert ids(store.recall("red car", mode="lexical"))[0] == 2
    assert ids(store.recall("red car", mode="lexical", match="all")) == [2]


def test_hybrid_asks_for_all_words_else_any() -> None:
    store = planar_store("word blue", "grey stone", "green leaf")
    cosines = {memory.memory_id: memory.score for memory in store.recall("word", mode="hybrid", match="all")}
    assert cosines[1] > cos(radians(30)), "it has all words"
    some = {memory.memory_id: memory.score for memory in store.recall("word sky")}
    assert some[1] > cos(radians(30)), "no memory has both words, so one counts"
    assert {memory.memory_id: memory.score for memory in store.recall("word sky", match="all")}[1] == pytest.approx(
        cos(radians(30))
    )


def test_lexical_score_is_positive_and_words_are_stemmed(store: Store) -> None:
    store.inscribe_many(["she runs daily", "a quiet house", "an old tree", "the sea"])
    (memory,) = store.recall("RUNNING!", mode="lexical")
    assert memory.memory_id == 1
    assert memory.score > 0
    assert memory.similarity == 0.0


@pytest.mark.parametrize("mode", MODES)
def test_ties_are_broken_by_id(store: Store, mode: str) -> None:
    for _ in range(12):
        store.inscribe("the same words")
    store.release(1)
    store.inscribe("the same words")
    store.pin(1)
    store.unpin(1)
    for k in (1, 3, 12, 13, 20):
        assert ids(store.recall("the same words", k, mode=mode)) == list(range(1, min(k, 13) + 1))


@pytest.mark.parametrize("mode", MODES)
def test_only_live_memories_are_recalled_and_counted_in_k(store: Store, mode: str) -> None:
    store.inscribe_many(["apple pie"] * 6)
    store.release(1)
    store.purge(2)
    assert ids(store.recall("apple pie", 3, mode=mode)) == [3, 4, 5]


def test_bm25_statistics_are_those_of_live_memories(store: Store) -> None:
    store.inscribe_many(["apple pie", "apple tart", "long road home", "blue sea"])
    before = [memory.score for memory in store.recall("apple", mode="lexical")]
    extra = store.inscribe_many(["apple apple cake with cream"] * 3)
    assert [memory.score for memory in store.recall("apple", mode="lexical")][-2:] != before
    store.release(extra[0])
    store.purge(extra[1])
    store.decay(extra[2], 0.01)
    assert [memory.score for memory in store.recall("apple", mode="lexical")] == before


@settings(max_examples=40, deadline=None)
@given(
    depths=st.lists(st.sampled_from([1.0, 0.9, 0.5, 0.3, 0.06]), min_size=1, max_size=25),
    k=st.integers(1, 30),
    mode=st.sampled_from(["vector", "lexical"]),
)
def test_weighting_by_depth_is_exact(depths: list[float], k: int, mode: str) -> None:
    words = ["sun", "sun moon", "moon star sun", "star", "sun sun sea", "sea moon", "sky"]
    with Store(embed=hash_embed, dim=DIM) as store:
        store.inscribe_many([words[i % len(words)] for i in range(len(depths))])
        raw = {memory.memory_id: memory.score for memory in store.recall("sun moon", 100, mode=mode)}
        for memory_id, depth in enumerate(depths, start=1):
            if depth < 1.0:
                store.decay(memory_id, depth)
        expected = sorted(((raw[i] * depths[i - 1], i) for i in raw), key=lambda pair: (-pair[0], pair[1]))
        recalled = store.recall("sun moon", k, mode=mode)
        assert [memory.score for memory in recalled] == [score for score, _ in expected[:k]]
        assert {memory.memory_id: memory.score for memory in recalled}.items() <= {i: s for s, i in expected}.items()
        assert all(memory.depth == depths[memory.memory_id - 1] for memory in recalled)


def test_a_sinking_memory_is_weighted_in_a_hybrid_recall() -> None:
    store = planar_store("green leaf", "word blue", "word word")
    before = {memory.memory_id: memory.score for memory in store.recall("word")}
    store.decay(1, 0.5)
    after = store.recall("word")
    assert [(memory.memory_id, memory.score) for memory in after] == [
        (2, before[2]),
        (3, before[3]),
        (1, pytest.approx(before[1] / 2)),
    ]
    assert ids(store.recall("word", 1)) == [2]


def test_a_pin_does_not_raise_a_score(store: Store) -> None:
    store.inscribe_many(["apple pie", "apple tart"])
    before = [(memory.memory_id, memory.score) for memory in store.recall("apple")]
    store.pin(2)
    assert [(memory.memory_id, memory.score) for memory in store.recall("apple")] == before


def test_thousands_of_memories_at_once() -> None:
    with Store(embed=hash_embed, dim=DIM) as store:
        texts = [f"fact {i}" for i in range(4300)]
        store.inscribe_many(texts)
        distances = np.linalg.norm(hash_embed(texts) - hash_embed(["fact 7"]), axis=1)
        recalled = store.recall("fact 7", 4200, mode="vector")
        assert recalled[0].memory_id == 8
        assert len(recalled) == 4200
        np.testing.assert_allclose(
            [memory.similarity for memory in recalled], 1 - np.sort(distances)[:4200] / 2, atol=1e-6
        )
        assert recalled[:50] == store.recall("fact 7", 50, mode="vector")


NASTY = [
    "",
    " ",
    '"',
    "'",
    '"alpha" NOT "beta"',
    "alpha AND",
    "OR",
    "NEAR(alpha beta, 2)",
    "text: alpha",
    "^alpha*",
    "{alpha} : -beta",
    "(alpha",
    "a\0b",
    "\0",
    "\ud800 alpha",
    "😀 alpha 👩‍👩‍👧",
    "_ __",
    "\u0301",
    "%_; DROP TABLE memory; --",
    "alpha " * 17_000,
    "x" * 100_000,
    '"' * 100_000,
    " ".join(f"w{i}" for i in range(20_000)),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("match", ["any", "all"])
@pytest.mark.parametrize("query", NASTY, ids=range(len(NASTY)))
def test_nasty_queries_are_safe(store: Store, query: str, mode: str, match: str) -> None:
    store.inscribe_many(["alpha one", "beta two"])
    recalled = store.recall(query, mode=mode, match=match)
    if mode == "vector":
        assert len(recalled) == 2
    assert store.count() == 2


@given(query=st.text(st.characters(codec=None), max_size=60), mode=st.sampled_from(MODES))
@settings(max_examples=150, deadline=None)
def test_any_query_is_safe(query: str, mode: str) -> None:
    assert len(SAFE.recall(query, mode=mode)) <= 2
    assert SAFE.count() == 2


SAFE = Store(embed=hash_embed, dim=DIM)
SAFE.inscribe_many(["alpha one", "beta two"])


@pytest.mark.parametrize(
    "query",
    [
        "alpha NOT alpha",
        "text:alpha",
        "NEAR(alpha, 1)",
        "^alpha",
        "-alpha",
        'x" OR "alpha',
        "al\0alpha",
        "alpha*",
    ],
)
def test_operators_are_only_words_or_punctuation(store: Store, query: str) -> None:
    store.inscribe_many(["alpha one", "beta two"])
    assert ids(store.recall(query, mode="lexical")) == [1]


def test_a_star_is_no_prefix_search(store: Store) -> None:
    store.inscribe("alphabet one")
    assert store.recall("alpha*", mode="lexical") == []


def test_words_after_the_256th_are_not_looked_up(store: Store) -> None:
    store.inscribe("needle in hay")
    filler = " ".join(f"w{i}" for i in range(255))
    assert ids(store.recall(f"{filler} needle", mode="lexical")) == [1]
    assert store.recall(f"{filler} more needle", mode="lexical") == []


def test_wrong_arguments_are_refused(store: Store) -> None:
    store.inscribe("alpha")
    for k in (0, -1):
        with pytest.raises(ValueError, match="k must be"):
            store.recall("alpha", k)
    with pytest.raises(ValueError, match="mode"):
        store.recall("alpha", mode="fuzzy")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="match"):
        store.recall("alpha", match="some")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="past"):
        store.recall("alpha", at=1, touch=True)


def test_an_empty_store_recalls_nothing(store: Store) -> None:
    for mode in MODES:
        assert store.recall("alpha", mode=mode) == []


def test_lexical_recall_does_not_embed() -> None:
    calls: list[Sequence[str]] = []

    def embed(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        calls.append(texts)
        return hash_embed(texts)

    with Store(embed=embed, dim=DIM) as store:
        store.inscribe_many(["alpha", "beta"])
        store.recall("alpha", mode="lexical")
        assert calls == [["alpha", "beta"]]


def test_pages_of_a_recall(store: Store) -> None:
    store.inscribe_many([f"the key of house {number}" for number in range(150)])
    for mode in MODES:
        everything = store.recall("key", 150, mode=mode)
        pages = [store.recall("key", 7, mode=mode, offset=offset) for offset in range(0, 154, 7)]
        assert [found for page in pages for found in page] == everything
    assert store.recall("key", 5, offset=2**70) == []
    with pytest.raises(ValueError, match="offset must be at least 0"):
        store.recall("key", offset=-1)


def test_what_ranks_again_is_given_the_same_however_many_are_asked_for(store: Store) -> None:
    store.inscribe_many([f"the key of house {number}" for number in range(150)])
    asked: list[tuple[str, list[Recalled]]] = []

    def even_ones_backwards(query: str, found: list[Recalled]) -> list[Recalled]:
        asked.append((query, list(found)))
        assert store.count() == 150
        return [replace(memory, score=2.0) for memory in found[::-1] if memory.memory_id % 2 == 0]

    plain = store.recall("key", 150)
    whole = store.recall("key", 150, rerank=even_ones_backwards)
    even = [memory.memory_id for memory in plain[:100][::-1] if memory.memory_id % 2 == 0]
    assert [memory.memory_id for memory in whole] == even + [memory.memory_id for memory in plain[100:]]
    assert {memory.score for memory in whole[: len(even)]} == {2.0}
    assert store.recall("key", 3, rerank=even_ones_backwards) == whole[:3]
    assert store.recall("key", 3, offset=2, rerank=even_ones_backwards, touch=True) == whole[2:5]
    assert asked == [("key", plain[:100])] * 3


@pytest.mark.parametrize(
    "rerank",
    [
        lambda query, found: [*found, found[0]],
        lambda query, found: [replace(found[0], memory_id=99)],
        lambda query, found: [replace(found[0], text="another one")],
        lambda query, found: [found[0].text],
    ],
)
def test_what_ranks_again_may_not_add_or_change_a_memory(store: Store, rerank: Rerank) -> None:
    store.inscribe_many(["one key", "two keys"])
    with pytest.raises(ValueError, match="rerank may order and drop"):
        store.recall("key", rerank=rerank)


def test_when_a_memory_was_told(store: Store, clock: Clock) -> None:
    moments = []
    for number in range(150):
        store.inscribe(f"the key of house {number}")
        moments.append(clock.now)
        clock.pass_days(1)
    store.edit(3, "the key of another house")
    store.supersede(4, "the key of no house")
    assert [memory.inscribed_at for memory in store.memories()][:3] == moments[:3]
    assert store.memory(151).inscribed_at == clock.now
    for mode in MODES:
        for at in (None, 150):
            early = store.recall("key", 3, mode=mode, told_until=moments[3], at=at)
            assert sorted((memory.memory_id, memory.inscribed_at) for memory in early) == list(
                zip((1, 2, 3), moments[:3], strict=True)
            )
    late = store.recall("key", 3, told_since=moments[148])
    assert sorted(ids(late)) == [149, 150, 151]
    assert ids(store.memories(told_since=moments[1], told_until=moments[5], limit=2, after=2)) == [3, 5]
    assert ids(store.memories(True, told_since=moments[1], told_until=moments[5], at=150)) == [2, 3, 4, 5]
    with pytest.raises(ValueError, match="told_since must be a finite number"):
        store.recall("key", told_since=float("inf"))
