"""What ties a memory to those that are likely meant: a second look, once each memory has a first probability."""

import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from lethe.planners.matcher.decision.kinds import Columns
from lethe.planners.matcher.decision.trees import Floats
from lethe.planners.matcher.evidence.asking import asking
from lethe.planners.matcher.evidence.codes import Code, Match, codes, stands
from lethe.planners.matcher.evidence.identity.identifier_finders import find
from lethe.planners.matcher.evidence.reading import Token, read
from lethe.planners.matcher.evidence.standing import standing
from lethe.planners.matcher.evidence.text.words import FUNCTION_WORDS, fold

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
    order = np.sort(likely)[::-1]
    top = int(likely.argmax())
    return {
        "first": np.log(likely / (1 - likely)),
        "first gap": order[0] - likely,
        "first next": (order[1] if len(order) > 1 else 0.0) - likely,
        "first sure": [float((likely > 0.5).sum())] * len(memories),
        "first sum": likely.sum() - likely,
        **_of_ties(request, memories, likely),
        **_of_descriptions(request, memories, likely),
        "links after": [at > 0 and float(likely[at - 1]) for at in range(len(memories))],
        "links anaphor": [_ANAPHOR.match(memory) is not None for memory in memories],
        **_of_vectors(likely, vectors, top),
    }


def _of_ties(request: str, memories: Sequence[str], likely: Floats) -> Columns:
    """The highest and lowest probability of another memory that shares something with each; -1 for none."""
    asked = {word.key for word in asking(request).words}
    held = [
        {token.key: token for token in read(memory) if token.says and token.key not in asked} for memory in memories
    ]
    wanted = codes(request)
    coded = [tuple(code for code in codes(memory) if stands(code, wanted) > Match.SAME) for memory in memories]
    typed = [find(memory) for memory in memories]
    often = Counter(word for own in held for word in own)
    anchors = [at for at in range(len(memories)) if likely[at] > _ANCHOR] or [int(likely.argmax())]
    found: dict[str, list[float]] = {name: [] for name in _TIES}
    for at, own in enumerate(held):
        others = [other for other in range(len(memories)) if other != at]
        shared = {word for word in own if often[word] > 1}
        names = {word for word in shared if own[word].is_name or own[word].is_number}
        by_name = [float(likely[other]) for other in others if names & held[other].keys()]
        by_word = [float(likely[other]) for other in others if (shared - names) & held[other].keys()]
        near = [other for other in anchors if other != at]
        by_form = [float(likely[other]) for other in near if _alike(own, held[other])]
        by_part = [float(likely[other]) for other in near if _is_part(own, held[other])]
        by_code = [float(likely[other]) for other in others if _same_code(coded[at], coded[other])]
        by_type = [
            float(likely[other])
            for other in others
            if any(one.is_same(two) for one in typed[at] for two in typed[other])
        ]
        every = (by_name, by_word, by_form, by_part, by_code, by_type)
        for name, ties in zip(_TIES[:6], every, strict=True):
            found[name].append(max(ties, default=-1.0))
        found["links name against"].append(max((1 - tie for tie in by_name), default=-1.0))
        found["links code against"].append(max((1 - tie for tie in by_code), default=-1.0))
    return found


def _of_descriptions(request: str, memories: Sequence[str], likely: Floats) -> Columns:
    """Ties by what stands beside the thing asked for: the rest of its name, a phrase, words that few memories have."""
    asked = {word.key for word in asking(request).words}
    rows = [[token for token in read(memory) if token.says] for memory in memories]
    often = Counter(word for row in rows for word in {token.key for token in row})
    own = [{token.key for token in row} - asked for row in rows]
    named = [_named_pairs(memory) for memory in memories]
    phrases = [{(a.key, b.key) for a, b in itertools.pairwise(row) if not {a.key, b.key} <= asked} for row in rows]
    found: dict[str, list[float]] = {name: [] for name in _DESCRIBED}
    for at in range(len(rows)):
        others = [other for other in range(len(rows)) if other != at]
        beside = [(float(likely[other]), b) for other in others for a, b in named[other] if a in asked and b in own[at]]
        surname = {b for _, b in beside}
        rival = any(b in surname and a not in asked for pairs in named for a, b in pairs)
        own_rival = any(b in surname and a not in asked for a, b in named[at])
        weight = [sum(np.log(len(rows) / often[word]) for word in own[at] & own[other]) for other in others]
        of_likely = [float(likely[other]) for other in others]
        sums = [
            sum(tie * much for tie, much in zip(side, weight, strict=True))
            for side in (of_likely, [1 - one for one in of_likely])
        ]
        values = (
            max((tie for tie, _ in beside), default=-1.0),
            float(rival),
            float(own_rival),
            max((float(likely[other]) for other in others if phrases[at] & phrases[other]), default=-1.0),
            max((1 - float(likely[other]) for other in others if phrases[at] & phrases[other]), default=-1.0),
            *sums,
            max((tie * much for tie, much in zip(of_likely, weight, strict=True)), default=0.0),
        )
        for name, value in zip(_DESCRIBED, values, strict=True):
            found[name].append(value)
    return found


def _named_pairs(memory: str) -> set[tuple[str, str]]:
    """Keys of neighbouring words that are written as one name, in both orders."""
    pairs = {
        (read(a)[0].key, read(b)[0].key)
        for a, b in itertools.pairwise(memory.split())
        if a[:1].isupper()
        and b[:1].isupper()
        and a[-1].isalpha()
        and fold(a) not in FUNCTION_WORDS
        and read(a)
        and read(b)
    }
    return pairs | {(b, a) for a, b in pairs}


_DESCRIBED = (
    "links beside",
    "links beside rival",
    "links beside other",
    "links phrase",
    "links phrase against",
    "links weight",
    "links weight against",
    "links weight best",
)
_TIES = (
    "links name",
    "links word",
    "links form",
    "links part",
    "links code",
    "links type",
    "links name against",
    "links code against",
)
_ANCHOR = 0.3
"""Least first probability of a memory whose names are looked for in other forms."""


def _alike(own: Mapping[str, Token], other: Mapping[str, Token]) -> bool:
    """Whether a name stands in another form in the other memory: another script, spelling, or short form."""
    names = [token for token in own.values() if token.is_name and not token.is_number]
    theirs = [token for token in other.values() if token.is_name and not token.is_number]
    return any(one.key != two.key and standing(one, two).holds for one in names for two in theirs)


def _is_part(own: Mapping[str, Token], other: Mapping[str, Token]) -> bool:
    """Whether a name of one memory is part of a handle or address of the other, or gives its initials."""
    names = [token for token in own.values() if token.is_name and token.script == "latin"]
    theirs = [token for token in other.values() if token.is_name and token.script == "latin"]
    if any(_inside(one.bare, two.bare) for one in names for two in theirs):
        return True
    return _initials(names, theirs) or _initials(theirs, names)


def _inside(one: str, two: str) -> bool:
    short, long = sorted((one, two), key=len)
    return len(short) > 3 and short != long and short in long


def _initials(short: Sequence[Token], long: Sequence[Token]) -> bool:
    letters = {a.bare[0] + b.bare[0] for a, b in itertools.pairwise(long) if b.place == a.place + 1}
    return any(token.bare in letters for token in short)


def _same_code(own: Sequence[Code], other: Sequence[Code]) -> bool:
    return any(len(code.whole) > 2 and stands(code, tuple(other)) == Match.SAME for code in own)


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
