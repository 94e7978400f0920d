"""The memories that a forgetting operation addressed by a query applies to."""

import json
import math
from collections.abc import Sequence

from lethe.store import memories
from lethe.store.connection import fetch_all
from lethe.store.depth import PINNED
from lethe.store.errors import NothingMeets
from lethe.store.normalisation import form_hashes, normalised
from lethe.store.recall import matching, nearest, recalled
from lethe.store.scope import Kept, View
from lethe.store.thresholds import largest_gap_threshold

CANDIDATES = 20
NAMED = 3
"""How many candidates an error names."""


def check_floor(view: View, query: str, vector: bytes, floor: float | None, memory_id: int | None = None) -> None:
    """`NothingMeets` if the similarity of a memory, by default the nearest live one, is below the floor."""
    if floor is None:
        return
    if memory_id is None:
        found = nearest(view, vector, NAMED)
        met = bool(found) and found[0][1] >= floor
    else:
        found = nearest(view, vector, memories.counted(view.connection, view.sight, include_submerged=False))
        met = dict(found).get(memory_id, 0.0) >= floor
    if not met:
        raise NothingMeets(query, _closest(view, vector))


def _closest(view: View, vector: bytes) -> list[tuple[int, str]]:
    """The ids and texts of the nearest live memories, as an error names them."""
    ids = [memory_id for memory_id, _ in nearest(view, vector, NAMED)]
    found = memories.described(view.connection, ids)
    return [(memory_id, found[memory_id].text) for memory_id in ids]


def best_match(view: View, query: str, vector: bytes, floor: float | None, besides: str | None = None) -> int | None:
    """The id of the live memory closest to the query's vector; None if it is pinned or no memory is live.

    Memories that say `besides` are passed over. `NothingMeets` if the closest is below the floor, or none is live and
    there is a floor.
    """
    check_floor(view, query, vector, floor)
    for memory_id, similarity in nearest(view, vector, 1 if besides is None else CANDIDATES):
        memory = memories.current(view.connection, memory_id)
        if floor is not None and similarity < floor:
            return None
        if besides is None or normalised(memory.text) != normalised(besides):
            return memory_id if memory.depth != PINNED else None
    return None


def above_largest_gap(view: View, query: str, vector: bytes, floor: float | None) -> list[int]:
    """The unpinned among 20 hybrid candidates whose similarity reaches the largest-gap threshold and the floor.

    `NothingMeets` if the nearest memory is below the floor.
    """
    check_floor(view, query, vector, floor)
    candidates = recalled(view, query, vector, CANDIDATES, "hybrid", None)
    if not candidates:
        return []
    threshold = max(largest_gap_threshold([candidate.similarity for candidate in candidates]), floor or 0.0)
    return [
        candidate.memory_id
        for candidate in candidates
        if candidate.similarity >= threshold and candidate.depth != PINNED
    ]


def equal_texts(view: View, query: str, vector: bytes, floor: float | None) -> list[int]:
    """The memories whose text the query is; if there are none, the best live one by BM25 (any term) and its equals.

    Equals are all memories with the same text (`normalisation.forms`), live or submerged, however many. `NothingMeets`
    if the best is below the floor.
    """
    equal = same_text(view, query)
    if equal:
        return equal
    for memory_id, _ in matching(view, query, 1, "any"):
        check_floor(view, query, vector, floor, memory_id)
        return same_text(view, memories.described(view.connection, [memory_id])[memory_id].text)
    if floor is not None:
        raise NothingMeets(query, _closest(view, vector), "none has a word of it: name one by its id")
    return []


def standing(view: View, text: str, vector: bytes, kept: Kept, least: float | None) -> int | None:
    """The live memory that says a text with the same scope, and to the same end or beyond; None if there is none.

    The oldest of those with an equal text; else, where `least` is given, the most similar one that reaches it.
    """

    def first(memory_ids: Sequence[int]) -> int | None:
        found = memories.described(view.connection, memory_ids)
        for memory in map(found.__getitem__, memory_ids):
            is_same = (memory.owner, memory.session, memory.source) == kept[:-1]
            if is_same and memory.depth > 0 and (memory.expires_at or math.inf) >= (kept.expires_at or math.inf):
                return memory.memory_id
        return None

    equal = first(same_text(view, text))
    if equal is not None or least is None:
        return equal
    asked = CANDIDATES
    while True:
        found = nearest(view, vector, asked)
        near = first([memory_id for memory_id, similarity in found if similarity >= least])
        if near is not None or len(found) < asked or found[-1][1] < least:
            return near
        asked *= 4


def same_text(view: View, text: str) -> list[int]:
    """The memories, of any depth, whose current text is the same."""
    hashes = form_hashes(text)
    versions = fetch_all(
        view.connection,
        "SELECT form.version_id, version.memory_id FROM form LEFT JOIN version USING (version_id)"
        f" WHERE form.hash IN ({', '.join('?' * len(hashes))})",
        hashes,
    )
    listed = "IN (SELECT value FROM json_each(?))"
    equal, ids = f"version_id {listed}", [json.dumps([version_id for version_id, _ in versions])]
    if all(memory_id is not None for _, memory_id in versions):
        # Else the file has lost a version, and only the memories say whose it was.
        equal, ids = f"memory_id {listed} AND {equal}", [json.dumps([memory_id for _, memory_id in versions]), *ids]
    condition, bindings = view.sight.condition()
    query = f"SELECT memory_id FROM memory WHERE {equal} AND {condition} ORDER BY memory_id"
    return [memory_id for (memory_id,) in fetch_all(view.connection, query, (*ids, *bindings))]
