"""Ranking the live memories for a query: vectors, BM25, or both fused by reciprocal rank.

The score of a sinking memory is weighted by its depth. Only they can fall behind others that they
outranked, so k + (number of sinking memories) candidates hold the exact weighted top k.
"""

import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Literal

import apsw

from lethe.store import memories
from lethe.store.connection import fetch_all
from lethe.store.scope import View

Mode = Literal["hybrid", "vector", "lexical"]
Match = Literal["any", "all"]
FUSION_CONSTANT = 60
MAXIMUM_TERMS = 256
"""Words of a query that BM25 looks up, from its start (the whole query is embedded)."""
MAXIMUM_K = 2**31
"""A k above this means as many as there are."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """A recalled memory; `score` ranks it, `similarity` is 1 - d/2 (0.0 where BM25 alone found it)."""

    memory_id: int
    text: str
    score: float
    similarity: float
    depth: float


def recalled(view: View, query: str, vector: bytes | None, k: int, mode: Mode, match: Match) -> list[Recalled]:
    """The k best live memories, best first; ties by similarity, then by id. `vector` is the query's embedding."""
    weights = _sinking(view.connection)
    width = k + len(weights)
    similarities = dict(nearest(view, vector, width)) if vector is not None else {}
    if mode == "vector":
        scores = similarities
    else:
        ranked = matching(view, query, width, match)
        scores = dict(ranked)
        if mode == "hybrid":
            scores = fused(list(similarities), list(scores))
    weighted = sorted(
        (-score * weights.get(memory_id, 1.0), -similarities.get(memory_id, 0.0), memory_id)
        for memory_id, score in scores.items()
    )[:k]
    found = memories.described(view.connection, [memory_id for _, _, memory_id in weighted])
    return [
        Recalled(memory_id, found[memory_id].text, -score, -similarity, found[memory_id].depth)
        for score, similarity, memory_id in weighted
    ]


def nearest(view: View, vector: bytes, k: int) -> list[tuple[int, float]]:
    """(memory_id, similarity) of the k live memories closest to `vector`; ties by id."""
    view.matrix.catch_up(view.connection)
    return view.matrix.nearest(vector, k, astuple(view.sight.scope), view.sight.now)


def matching(view: View, query: str, k: int, match: Match) -> list[tuple[int, float]]:
    """(memory_id, -bm25) of the k live memories that match best; ties by id. None for a query without words."""
    expression = fts_expression(query, match)
    if not expression:
        return []
    condition, bindings = view.sight.condition()
    # CROSS JOIN keeps the order. Where FTS5 is asked for one row at a time, it runs the whole match for each of them.
    joined = "" if view.sight.whole else " CROSS JOIN memory ON memory.memory_id = lexical.rowid"
    return fetch_all(
        view.connection,
        f"SELECT lexical.rowid, -bm25(lexical) AS score FROM lexical{joined} WHERE lexical MATCH ? AND {condition}"
        " ORDER BY score DESC, lexical.rowid LIMIT ?",
        (expression, *bindings, k),
    )


def fts_expression(query: str, match: Match) -> str:
    """The FTS5 expression for any text: its words, each quoted, joined by OR ("any") or AND ("all")."""
    terms = re.sub(r"[^\w\s]", " ", query).split()[:MAXIMUM_TERMS]
    return (" OR " if match == "any" else " AND ").join(f'"{term}"' for term in terms)


def fused(*rankings: Sequence[int]) -> dict[int, float]:
    """Reciprocal rank fusion: the sum of 1 / (60 + rank) over the rankings that hold a memory, ranks from 1."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, memory_id in enumerate(ranking, start=1):
            scores[memory_id] = scores.get(memory_id, 0.0) + 1.0 / (FUSION_CONSTANT + rank)
    return scores


def _sinking(connection: apsw.Connection) -> dict[int, float]:
    query = "SELECT memory_id, depth FROM memory WHERE depth < 1.0 AND depth > 0.0"
    return dict(fetch_all(connection, query))
