"""The memories that a forgetting operation addressed by a query applies to."""

from lethe.store import memories
from lethe.store.depth import PINNED
from lethe.store.normalisation import normalised
from lethe.store.recall import matching, nearest, recalled
from lethe.store.scope import View
from lethe.store.thresholds import largest_gap_threshold

CANDIDATES = 20


def best_match(view: View, vector: bytes) -> int | None:
    """The id of the live memory closest to the query's vector; None if it is pinned or no memory is live."""
    for memory_id, _ in nearest(view, vector, 1):
        if memories.current(view.connection, memory_id).depth != PINNED:
            return memory_id
    return None


def above_largest_gap(view: View, query: str, vector: bytes) -> list[int]:
    """The unpinned among 20 hybrid candidates whose similarity reaches the largest-gap threshold."""
    candidates = recalled(view, query, vector, CANDIDATES, "hybrid", "all")
    if not candidates:
        return []
    threshold = largest_gap_threshold([candidate.similarity for candidate in candidates])
    return [
        candidate.memory_id
        for candidate in candidates
        if candidate.similarity >= threshold and candidate.depth != PINNED
    ]


def equal_texts(view: View, query: str) -> list[int]:
    """The best of 20 live memories by BM25 (any term), and all equal to it among the 20 and the submerged."""
    ranked = [memory_id for memory_id, _ in matching(view, query, CANDIDATES, "any")]
    if not ranked:
        return []
    live = memories.described(view.connection, ranked)
    wanted = normalised(live[ranked[0]].text)
    candidates = [*live.values(), *memories.submerged(view.connection, view.sight)]
    return sorted(memory.memory_id for memory in candidates if normalised(memory.text) == wanted)
