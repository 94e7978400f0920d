"""The memories that a forgetting operation addressed by a query applies to."""

from lethe.store import memories
from lethe.store.connection import fetch_all
from lethe.store.depth import PINNED
from lethe.store.normalisation import form_hashes
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
    """The memories whose text the query is; if there are none, the best live one by BM25 (any term) and its equals.

    Equals are all memories with the same text (`normalisation.forms`), live or submerged, however many.
    """
    equal = same_text(view, query)
    if equal:
        return equal
    for memory_id, _ in matching(view, query, 1, "any"):
        return same_text(view, memories.described(view.connection, [memory_id])[memory_id].text)
    return []


def same_text(view: View, text: str) -> list[int]:
    """The memories, of any depth, whose current text is the same."""
    hashes = form_hashes(text)
    condition, bindings = view.sight.condition()
    rows = fetch_all(
        view.connection,
        "SELECT DISTINCT memory.memory_id FROM form JOIN memory USING (version_id)"
        f" WHERE form.hash IN ({', '.join('?' * len(hashes))}) AND {condition} ORDER BY memory.memory_id",
        (*hashes, *bindings),
    )
    return [memory_id for (memory_id,) in rows]
