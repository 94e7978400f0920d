"""Which rows a forgetting operation means when it is addressed by a query."""

import unicodedata

import apsw

from lethe.store import rows
from lethe.store.depth import PINNED
from lethe.store.recall import matching, nearest, recalled
from lethe.store.thresholds import largest_gap_threshold

CANDIDATES = 20


def best_match(connection: apsw.Connection, vector: bytes) -> int | None:
    """The live row closest to the query's vector; None if it is pinned or no row is live."""
    for memory_id, _ in nearest(connection, vector, 1):
        if rows.current(connection, memory_id).depth != PINNED:
            return memory_id
    return None


def above_largest_gap(connection: apsw.Connection, query: str, vector: bytes) -> list[int]:
    """Of 20 hybrid candidates the unpinned ones whose similarity reaches the largest-gap threshold."""
    candidates = recalled(connection, query, vector, CANDIDATES, "hybrid", "all")
    if not candidates:
        return []
    threshold = largest_gap_threshold([candidate.similarity for candidate in candidates])
    return [
        candidate.memory_id
        for candidate in candidates
        if candidate.similarity >= threshold and candidate.depth != PINNED
    ]


def equal_texts(connection: apsw.Connection, query: str) -> list[int]:
    """The best of 20 live rows by BM25 (any term), and those of the 20 and of the submerged equal to it."""
    ranked = [memory_id for memory_id, _ in matching(connection, query, CANDIDATES, "any")]
    if not ranked:
        return []
    live = rows.described(connection, ranked)
    wanted = normalised(live[ranked[0]].text)
    candidates = [*live.values(), *rows.submerged(connection)]
    return sorted(row.memory_id for row in candidates if normalised(row.text) == wanted)


def normalised(text: str) -> str:
    """NFKC, lower case, white space collapsed: what two texts must share to be the same fact."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().split())
