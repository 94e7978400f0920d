"""LetheAdapter against docs/systems.md, "Exactness", with vectors made by hand.

All vectors lie in a plane; the query is at angle 0. A memory of similarity s (1 - d/2, d the L2 distance of unit
vectors) lies at the angle 2 asin(1 - s).
"""

import math
from collections.abc import Mapping

import pytest

from lethe.systems.lethe_store import LetheAdapter
from tests.support.bench import TableEmbedder

QUERY = "alpha beta"


def store_of(similarities: Mapping[str, float], *others: str, query: str = QUERY) -> LetheAdapter:
    """An adapter holding one memory per text, at the given similarities to `query`; `others` may be embedded too."""
    table = {text: _at(similarity) for text, similarity in similarities.items()}
    adapter = LetheAdapter(TableEmbedder({query: _at(1.0), **dict.fromkeys(others, _at(0.3)), **table}))
    adapter.reset()
    adapter.inscribe(list(similarities))
    return adapter


def _at(similarity: float) -> tuple[float, float]:
    angle = 2 * math.asin(1 - similarity)
    return math.cos(angle), math.sin(angle)


def recalled(adapter: LetheAdapter, k: int = 50, query: str = QUERY) -> list[str]:
    return adapter.recall_texts(query, k)


def test_recall_is_by_vector_alone() -> None:
    adapter = store_of({"alpha beta alpha beta": 0.3, "nothing shared": 0.9, "nor here": 0.5})
    assert recalled(adapter) == ["nothing shared", "nor here", "alpha beta alpha beta"]
    assert recalled(adapter, 1) == ["nothing shared"]


def test_a_lexical_match_outside_the_nearest_k_is_not_recalled() -> None:
    adapter = store_of({**{f"memory {n}": 0.9 - n / 100 for n in range(10)}, "alpha beta": 0.2}, query="alpha")
    assert recalled(adapter, 10, "alpha") == [f"memory {n}" for n in range(10)]


def test_supersede_replaces_the_best_by_vector() -> None:
    adapter = store_of({"alpha beta old": 0.6, "nearest": 0.9}, "new")
    adapter.supersede(QUERY, "new")
    assert recalled(adapter) == ["alpha beta old", "new"]
    assert b"nearest" in adapter.stored_bytes()  # submerged, not erased


def test_supersede_of_an_empty_store_inscribes() -> None:
    adapter = LetheAdapter(TableEmbedder({QUERY: _at(1.0), "new": _at(0.5)}))
    adapter.supersede(QUERY, "new")
    assert recalled(adapter) == ["new"]


@pytest.mark.parametrize(
    ("similarities", "released"),
    [
        ([0.9, 0.5, 0.4], 1),  # gap 0.4, middle 0.7
        ([0.9, 0.88, 0.5], 2),  # gap 0.38, middle 0.69
        ([0.9, 0.6, 0.55, 0.1], 3),  # gap 0.45, middle 0.325
        ([0.9, 0.849], 1),  # a gap of 0.051
        ([0.9, 0.851], 1),  # 0.049 is none: 0.855
        ([0.9, 0.87, 0.86], 3),  # none: 0.855
        ([0.9, 0.86, 0.85], 2),  # none: 0.855
        ([0.5, 0.47, 0.44], 1),  # none: 0.475
        ([0.99], 1),
        ([0.05], 1),  # a single candidate always goes
    ],
)
def test_release_by_the_largest_gap(similarities: list[float], released: int) -> None:
    memories = {f"memory {n}": similarity for n, similarity in enumerate(similarities)}
    adapter = store_of(memories)
    adapter.release(QUERY)
    assert recalled(adapter) == list(memories)[released:]
    assert b"memory 0" in adapter.stored_bytes()


def test_release_of_an_empty_store_is_no_error() -> None:
    adapter = LetheAdapter(TableEmbedder({QUERY: _at(1.0)}))
    adapter.release(QUERY)
    assert recalled(adapter) == []


STEPS = {f"memory {n}": 0.8 - n / 100 for n in range(22)}
"""Similarities 0.80, 0.79, ... 0.59: no gap, so 0.95 x 0.80 = 0.76 would release the first five."""


def test_a_candidate_from_bm25_alone_has_similarity_zero() -> None:
    # At 0.58 the memory is nearer than any gap, but is not among the 20 nearest: it enters by BM25, as 0.0, and the
    # gap below the 19 other candidates (0.80 ... 0.62) puts the threshold at 0.31.
    adapter = store_of({**STEPS, "alpha and beta": 0.58})
    adapter.release(QUERY)
    assert recalled(adapter) == ["memory 19", "memory 20", "memory 21", "alpha and beta"]


def test_the_bm25_leg_of_a_release_needs_every_term() -> None:
    adapter = store_of({**STEPS, "alpha alone": 0.58})
    adapter.release(QUERY)
    kept = recalled(adapter)
    assert kept[0] in ("memory 4", "memory 5")  # memory 4 lies on the threshold
    assert kept[-18:] == [*[f"memory {n}" for n in range(5, 22)], "alpha alone"]


def test_release_looks_at_twenty_candidates() -> None:
    adapter = store_of({f"memory {n}": 0.9 for n in range(25)})
    adapter.release(QUERY)
    assert len(recalled(adapter)) == 5


def test_purge_is_by_bm25_and_not_by_vector() -> None:
    adapter = store_of({"nearest": 1.0, "the key of alpha": 0.1})
    adapter.purge(QUERY)
    assert recalled(adapter) == ["nearest"]
    assert b"the key of alpha" not in adapter.stored_bytes()


def test_purge_joins_terms_by_or() -> None:
    query = "alpha beta gamma delta"
    adapter = store_of({"only delta": 0.3, "alpha of beta": 0.3, "none of it": 0.9}, query=query)
    adapter.purge(query)
    assert recalled(adapter, query=query) == ["none of it", "only delta"]


def test_purge_without_a_lexical_match_erases_nothing() -> None:
    adapter = store_of({"nearest": 1.0})
    adapter.purge(QUERY)
    assert recalled(adapter) == ["nearest"]


def test_purge_erases_memories_equal_under_nfkc_case_and_white_space() -> None:
    same = ["Key ４２ alpha", "key 42 ALPHA", "KEY\t 42  alpha ", "Ｋｅｙ 42 alpha"]
    other = ["key 42 alpha.", "key-42 alpha", "key 42 alpha beta gamma"]
    query = "alpha key 42"
    adapter = store_of(dict.fromkeys([*same, *other], 0.5), query=query)
    adapter.purge(query)
    kept = recalled(adapter, query=query)
    assert not set(kept) & set(same)
    assert set(kept) == set(other)


def test_purge_stems_and_strips_punctuation() -> None:
    for query in ("KEYS?", '"key"', "key*", "(key)", "key:", "AND key NOT"):
        adapter = store_of({"the key is here": 0.5, "other": 0.9}, query=query)
        adapter.purge(query)
        assert recalled(adapter, query=query) == ["other"], query


def test_purge_takes_identifiers_apart_at_punctuation_and_prefers_the_whole() -> None:
    query = "TXN-12345"
    adapter = store_of({"paid TXN-123456": 0.9, "paid TXN-12345": 0.5}, query=query)
    adapter.purge(query)
    assert recalled(adapter, query=query) == ["paid TXN-123456"]


def test_purge_ranks_twenty_memories() -> None:
    texts = {f"{'alpha':<{n + 6}}beta": 0.5 for n in range(25)}
    adapter = store_of(texts)
    adapter.purge(QUERY)
    assert len(recalled(adapter)) == 5


def test_cases_do_not_mix() -> None:
    adapter = store_of({"memory": 0.9})
    adapter.reset()
    assert recalled(adapter) == []
    assert b"memory 0" not in adapter.stored_bytes()
