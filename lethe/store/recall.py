"""Ranking the live memories for a query: by vectors, by words (BM25), or by both.

The score of a sinking memory is weighted by its depth, in either half, before the best are taken.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from lethe.store import memories
from lethe.store.connection import fetch_all
from lethe.store.depth import PRESENT
from lethe.store.indexes import way
from lethe.store.scope import EVER, Span, View
from lethe.store.words import terms

Mode = Literal["hybrid", "vector", "lexical"]
Match = Literal["any", "all"]
MODES, MATCHES = get_args(Mode), (None, *get_args(Match))
WIDTH = 100
"""How many candidates each half of a hybrid recall gives, whatever k is, so that a larger k only adds to the end."""
WEIGHT_OF_WORDS = 0.1
"""Chosen with `WIDTH` by `benchmarks/store_recall.py`, which says on which data."""
MAXIMUM_K = 2**31
"""A k above this means as many as there are."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """A recalled memory; `score` ranks it, `similarity` is 1 - d/2 (0.0 where the recall was by words alone).

    `inscribed_at` is the moment at which it was told, in seconds since the epoch.
    """

    memory_id: int
    text: str
    score: float
    similarity: float
    depth: float
    inscribed_at: float | None = field(default=None, compare=False)


Rerank = Callable[[str, list[Recalled]], Iterable[Recalled]]
"""What is given a query and the best memories, and gives those to keep in its own order."""


class RaisedByCaller(Exception):
    """What a function of the caller raised while the file was read: it says nothing of the file."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A memory as an order needs it."""

    score: float
    similarity: float
    memory_id: int

    def place(self) -> tuple[float, float, int]:
        """Best first; ties by similarity, then by id."""
        return -self.score, -self.similarity, self.memory_id


def recalled(view: View, query: str, vector: bytes | None, k: int, mode: Mode, match: Match | None) -> list[Recalled]:
    """The k best live memories, best first; ties by similarity, then by id. `vector` is the query's embedding.

    `match` is what a memory needs of the query's words; None: all of them, or, where no memory has all, any.
    """
    sinking = view.some_sink
    if vector is None or mode == "lexical":
        found = matching(view, query, k, match or "any", weighted=sinking)
        return _described(view, [_Ranked(score, 0.0, id) for id, score in found])
    if mode == "hybrid":
        return _described(view, _hybrid(view, query, vector, k, match, sinking))
    near = nearest(view, vector, k, weighted=sinking)
    weights = view.index.weights(id for id, _ in near) if sinking else dict.fromkeys((id for id, _ in near), 1.0)
    return _described(view, [_Ranked(similarity * weights[id], similarity, id) for id, similarity in near])


def accepted(
    view: View,
    query: str,
    vector: bytes | None,
    k: int,
    mode: Mode,
    match: Match | None,
    accept: Callable[[str], bool] | None,
    least: float | None,
    told: Span,
) -> list[Recalled]:
    """The k best of `recalled` whose text is accepted and whose similarity is at least that; None: all of them.

    `told`: within which time they were inscribed. `RaisedByCaller` for what `accept` raises.
    """
    found = recalled(view, query, vector, k, mode, match)
    if accept is None and least is None and told == EVER:
        return found

    def counts(memory: Recalled) -> bool:
        if told != EVER and (memory.inscribed_at is None or not told[0] <= memory.inscribed_at < told[1]):
            return False
        return (least is None or memory.similarity >= least) and (accept is None or _is_accepted(accept, memory.text))

    asked, kept = k, list(filter(counts, found))
    while len(kept) < k and len(found) == asked:
        # A larger k only adds to the end.
        asked = min(4 * asked, MAXIMUM_K)
        more = recalled(view, query, vector, asked, mode, match)
        kept += filter(counts, more[len(found) :])
        found = more
    return kept[:k]


def _is_accepted(accept: Callable[[str], bool], text: str) -> bool:
    try:
        return accept(text)
    except Exception as error:
        raise RaisedByCaller(error) from error


def reranked(query: str, found: Sequence[Recalled], rerank: Rerank) -> list[Recalled]:
    """The `WIDTH` best in the order that `rerank` gives, then the others; `ValueError` if it adds or changes one."""
    offered = {memory.memory_id: memory for memory in found[:WIDTH]}
    kept = list(rerank(query, list(offered.values())))
    for memory in kept:
        known = offered.pop(memory.memory_id, None) if isinstance(memory, Recalled) else None
        if known is None or replace(known, score=memory.score) != memory:
            raise ValueError(f"rerank may order and drop what it is given, and not add or change it: {memory!r:.80}")
    return [*kept, *found[WIDTH:]]


def _hybrid(view: View, query: str, vector: bytes, k: int, match: Match | None, sinking: bool) -> list[_Ranked]:
    """The candidates of both halves by the sum of cosine and weighed BM25, then the nearest others.

    BM25 adds up over the words of the query, so it is divided by the root of their number.
    """
    near = nearest(view, vector, max(k, WIDTH), weighted=sinking)
    words = dict(_matching_as_asked(view, query, match, sinking))
    similarities = dict(near[:WIDTH]) | view.index.similarities(vector, words)
    share = WEIGHT_OF_WORDS / math.sqrt(max(1, len(set(terms(query, way(view.connection))))))
    weights = view.index.weights([*similarities, *(id for id, _ in near)])
    candidates = [
        _Ranked(_cosine(similarity) * weights[id] + share * words.get(id, 0.0), similarity, id)
        for id, similarity in similarities.items()
    ]
    best = sorted(candidates, key=_Ranked.place)
    others = [(id, similarity) for id, similarity in near[WIDTH:] if id not in similarities]
    last = best[-1].score if best else 0.0
    return [
        *best,
        *(_Ranked(min(last, _cosine(similarity) * weights[id]), similarity, id) for id, similarity in others),
    ][:k]


def _cosine(similarity: float) -> float:
    """The cosine of two unit vectors from their similarity; 0 for a negative one."""
    return max(0.0, 1.0 - 2.0 * (1.0 - similarity) ** 2)


def _described(view: View, ranked: Sequence[_Ranked]) -> list[Recalled]:
    found = memories.told(view.connection, [each.memory_id for each in ranked])
    return [
        Recalled(each.memory_id, text, each.score, each.similarity, depth, inscribed_at)
        for each, (text, depth, inscribed_at) in ((each, found[each.memory_id]) for each in ranked)
    ]


def nearest(view: View, vector: bytes, k: int, *, weighted: bool = False) -> list[tuple[int, float]]:
    """(memory_id, similarity) of the k live memories closest to `vector`, by similarity times depth if `weighted`."""
    view.index.catch_up(view.connection)
    sight = view.sight
    return view.index.nearest(vector, k, sight.scope, sight.now, weighted=weighted, sources=sight.sources)


def _matching_as_asked(view: View, query: str, match: Match | None, sinking: bool) -> list[tuple[int, float]]:
    """`matching`; all words, else any, where `match` does not say."""
    found = matching(view, query, WIDTH, match or "all", weighted=sinking)
    return found or (matching(view, query, WIDTH, "any", weighted=sinking) if match is None else [])


def matching(view: View, query: str, k: int, match: Match, *, weighted: bool = False) -> list[tuple[int, float]]:
    """(memory_id, -bm25) of the k live memories that match best; ties by id. None for a query without words.

    Times depth if `weighted`.
    """
    expression = fts_expression(terms(query, way(view.connection)), match)
    if not expression:
        return []
    condition, bindings = view.sight.condition()
    # CROSS JOIN keeps the order. Where FTS5 is asked for one row at a time, it runs the whole match for each of them.
    joined = "" if view.sight.whole and not weighted else " CROSS JOIN memory ON memory.memory_id = lexical.rowid"
    score = f"-bm25(lexical) * min(1.0, {PRESENT})" if weighted else "-bm25(lexical)"
    return fetch_all(
        view.connection,
        f"SELECT lexical.rowid, {score} AS score FROM lexical{joined} WHERE lexical MATCH ? AND {condition}"
        " ORDER BY score DESC, lexical.rowid LIMIT ?",
        (expression, *bindings, k),
    )


def fts_expression(words: Sequence[str], match: Match) -> str:
    """The FTS5 expression of a query's words: each quoted, joined by OR ("any") or AND ("all")."""
    return (" OR " if match == "any" else " AND ").join(f'"{word}"' for word in words)
