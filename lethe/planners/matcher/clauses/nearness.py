"""How similar the parts of a memory are to query and new fact, apart from whom or what the memory is about."""

from collections.abc import Sequence

from lethe.planners.matcher.clauses.part import INTRODUCTION, Part
from lethe.planners.matcher.text.similarity import Similarity
from lethe.planners.matcher.text.unnamed import capitals, unnamed
from lethe.planners.matcher.text.words import words


def nearness(
    parts: Sequence[Part], opening: str, asked: str, fact: str, similarity: Similarity
) -> list[tuple[float, float]]:
    """The cosine similarity of each part to query and new fact; `opening` is what the memory is about."""
    is_shared = any(part.head.startswith(opening) for part in parts)
    names = {word.key for word in words(opening) if word.is_capital or (is_shared and word.is_content)}
    names |= capitals(asked)
    bare = [unnamed(without_introduction(part), names) for part in parts]
    query, new = unnamed(asked, names), unnamed(fact, names)
    # An embedder that remembers gets all texts in one batch.
    _, *by_query = similarity(query, [new, *bare])
    return list(zip(by_query, similarity(new, bare), strict=True))


def without_introduction(part: Part) -> str:
    """What a part says, without the words that join it to the memory."""
    return INTRODUCTION.sub("", part.said.strip(" ,;"))
