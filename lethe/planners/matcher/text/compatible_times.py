"""Whether two texts are about the same time."""

import re

from lethe.planners.matcher.text.times import Times

VALUES = frozenset({"day", "monthday", "hour", "clock", "tense"})
"""Axes on which a new fact often gives its new value: when the thing now takes place."""


_START = re.compile(
    r"(?:as of|as from|since|starting|beginning|effective|with effect from|valid from|"
    r"from(?!.{0,25}\b(?:to|until|till)\b))\b",
    re.IGNORECASE,
)


def new_values(fact: str) -> frozenset[str]:
    """The axes on which a new fact may give its new value.

    With the date where the fact opens with a start ("As of 1 May").
    """
    return VALUES | {"year", "month", "season", "weekday"} if _START.match(fact) else VALUES


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


def latest_date(said: Times) -> tuple[int, int, int] | None:
    """The latest (year, month, day) of a text, 0 for what it leaves out; None without a year."""
    if "year" not in said:
        return None
    month, day = divmod(max(said["day"]), 100) if "day" in said else (max(said.get("month", {0})), 0)
    return (max(said["year"]), month, day)
