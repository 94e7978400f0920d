"""Whether two texts are about the same time."""

from lethe.planners.matcher.evidence.text.times import Times

VALUES = frozenset({"day", "monthday", "hour", "clock", "tense"})
"""Axes on which a new fact often gives its new value: when the thing now takes place."""


def compatibility(one: Times, other: Times, tolerated: frozenset[str] = frozenset()) -> float:
    """The number of axes on which two texts give the same time, less that of the axes on which they differ.

    Axes of `tolerated` may differ. One time within another counts nearly as much as the same time; two that only
    overlap count as neither.
    """
    total = 0.0
    for axis in one.keys() & other.keys():
        mine, theirs = one[axis], other[axis]
        both = len(mine & theirs)
        if both in (len(mine), len(theirs)):
            total += 0.8 + 0.2 * both / len(mine | theirs)
        elif not both and axis not in tolerated:
            total -= 1.0
    return total
