"""A row that a supersession wrote, asked for again: what was written for the question goes as a whole."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lethe.planners.matcher.clauses.clauses import Merge, with_new_fact
from lethe.planners.matcher.clauses.parts import split
from lethe.planners.matcher.clauses.remaining import is_overridden, is_restated
from lethe.planners.matcher.text.words import clean, keys

if TYPE_CHECKING:
    from lethe.planners.matcher.rows.rows import Similarity

_ALIKE = 0.55
"""So similar are two questions that are asked of the same row, one after the other, where they ask the same."""
_SAME = 0.8
"""So similar are they where the row has something else that one of them may be about."""


def merge_again(
    memory: str, query: str, new_fact: str, written: Sequence[str], similarity: "Similarity | None"
) -> Merge | str | None:
    """As `clauses.merge`, for a row `written` as `ChoosesRow.supersede` is told; None where something else is asked."""
    last, text, *before = written
    rest = memory[len(text.strip()) :].lstrip(" .") if memory.startswith(text.strip()) else memory
    earlier = [last] if rest else [last, *before]
    asked = keys(clean(query))
    shared = [len(asked & other) / max(1, len(asked | other)) for other in map(keys, map(clean, earlier))]
    near = max(*shared, *(similarity(query, earlier) if similarity else ()), 0.0)
    if rest == memory or near < (_SAME if rest else _ALIKE):
        return None
    if not rest:
        return "the row was written for the same question"
    fact = clean(new_fact)
    kept = [
        part.sentence()
        for part in split(clean(rest))
        if not (is_restated(part, set(), fact) or is_overridden(part, fact))
    ]
    return with_new_fact(new_fact, text, kept) if kept else "the rest of the row is said by the new fact"
