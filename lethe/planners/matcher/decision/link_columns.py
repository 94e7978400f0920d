"""What ties a memory to those that are likely meant: a second look, once each memory has a first probability."""

import re
from collections.abc import Sequence

import numpy as np

from lethe.planners.matcher.decision.evidence_columns import Columns
from lethe.planners.matcher.decision.trees import Floats
from lethe.planners.matcher.evidence.asking import asking
from lethe.planners.matcher.evidence.reading import Token, read

_ANAPHOR = re.compile(
    r"(?:and |but |also )?(?:he|she|it|they|his|her|hers|its|their|theirs|that|this|these|those|same|both)\b",
    re.IGNORECASE,
)


def of_links(request: str, memories: Sequence[str], likely: Floats, vectors: Floats | None) -> Columns:
    """How each memory is tied to the others by what the request does not say.

    Args:
        request, memories: plain.
        likely: the first probability of each memory.
        vectors: a unit vector for each memory.
    """
    asked = {word.key for word in asking(request).words}
    held = [{token.key: token for token in read(memory) if token.says} for memory in memories]
    often: dict[str, int] = {}
    for own in held:
        for word in own:
            often[word] = often.get(word, 0) + 1
    order = np.sort(likely)[::-1]
    top = int(likely.argmax())
    ties = [_ties(at, held, often, asked, likely) for at in range(len(memories))]
    return {
        "first": np.log(likely / (1 - likely)),
        "first gap": order[0] - likely,
        "first next": (order[1] if len(order) > 1 else 0.0) - likely,
        "first sure": [float((likely > 0.5).sum())] * len(memories),
        "first sum": likely.sum() - likely,
        "links name": [tie[0] for tie in ties],
        "links word": [tie[1] for tie in ties],
        "links name against": [tie[2] for tie in ties],
        "links word against": [tie[3] for tie in ties],
        "links name mean": [tie[4] for tie in ties],
        "links after": [at > 0 and float(likely[at - 1]) for at in range(len(memories))],
        "links anaphor": [_ANAPHOR.match(memory) is not None for memory in memories],
        **_of_vectors(likely, vectors, top),
    }


def _ties(
    at: int, held: Sequence[dict[str, Token]], often: dict[str, int], asked: set[str], likely: Floats
) -> tuple[float, float, float, float, float]:
    """The highest and lowest probability of another memory by a shared name and by another shared word; -1 for none."""
    found: dict[bool, list[tuple[float, float, float]]] = {True: [], False: []}
    for word, token in held[at].items():
        if often[word] < 2 or word in asked:
            continue
        others = [likely[other] for other, own in enumerate(held) if other != at and word in own]
        found[token.is_name or token.is_number].append((max(others), 1 - min(others), float(np.mean(others))))
    names, words = found[True], found[False]
    best = [max((tie[which] for tie in ties), default=-1.0) for which in (0, 1) for ties in (names, words)]
    return best[0], best[1], best[2], best[3], max((tie[2] for tie in names), default=-1.0)


def _of_vectors(likely: Floats, vectors: Floats | None, top: int) -> Columns:
    size = len(likely)
    if vectors is None:
        return {name: [np.nan] * size for name in _VECTOR_NAMES}
    near = vectors @ vectors.T
    np.fill_diagonal(near, 0.0)
    weight, against = likely, 1 - likely
    nearest = near.argmax(axis=1)
    to_top = near[:, top].copy()
    to_top[top] = -1.0
    values = (
        to_top,
        near @ weight / (weight.sum() - weight + 0.1),
        near @ against / (against.sum() - against + 0.1),
        near.max(axis=1),
        likely[nearest] if size > 1 else [np.nan] * size,
    )
    return dict(zip(_VECTOR_NAMES, values, strict=True))


_VECTOR_NAMES = ("links to best", "links to likely", "links to others", "links nearest", "links nearest likely")
