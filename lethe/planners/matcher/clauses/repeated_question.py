"""A memory that a supersession wrote, asked for again: what was written for the question goes as a whole."""

from collections.abc import Sequence

from lethe.planners.matcher.clauses.kept_by_form import is_overridden, is_restated
from lethe.planners.matcher.clauses.merging import Merge, with_new_fact
from lethe.planners.matcher.clauses.splitting import split
from lethe.planners.matcher.text.similarity import Similarity
from lethe.planners.matcher.text.words import clean, keys

_ALIKE = 0.55
"""Least similarity of two questions about the same memory, one after the other, that ask the same."""
_SAME = 0.8
"""The same where the memory also says something else, which one of the questions may be about."""


def merge_again(
    memory: str, query: str, new_fact: str, written: Sequence[str], similarity: Similarity | None
) -> Merge | str | None:
    """As `merging.merge`, for a memory that a supersession wrote; None where something else is asked.

    Args:
        written: as for `ChoosesMemory.supersede`.
    """
    last, text, *before = written
    rest = memory[len(text.strip()) :].lstrip(" .") if memory.startswith(text.strip()) else memory
    earlier = [last] if rest else [last, *before]
    asked = keys(clean(query))
    shared = [len(asked & other) / max(1, len(asked | other)) for other in map(keys, map(clean, earlier))]
    near = max(*shared, *(similarity(query, earlier) if similarity else ()), 0.0)
    if rest == memory or near < (_SAME if rest else _ALIKE):
        return None
    if not rest:
        return "the memory was written for the same question"
    fact = clean(new_fact)
    kept = [
        part.sentence()
        for part in split(clean(rest))
        if not (is_restated(part, set(), fact) or is_overridden(part, fact))
    ]
    return with_new_fact(new_fact, text, kept) if kept else "the rest of the memory is said by the new fact"
