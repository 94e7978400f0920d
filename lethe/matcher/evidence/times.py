"""What a text says about time, as sets of values on axes, and how far two texts agree on it (`temporal_qualifier`)."""

import functools
import re
from collections.abc import Mapping
from types import MappingProxyType

from lethe.matcher.evidence.reading import read
from lethe.matcher.evidence.tables import table

Times = Mapping[str, frozenset[int]]
"""Values by axis: year, month, weekday, monthday, hour, clock, relation, nearness, rhythm, state."""


def _by_word() -> dict[str, tuple[str, frozenset[int]]]:
    found: dict[str, tuple[str, frozenset[int]]] = {}
    for axis, name in (("month", "months"), ("weekday", "weekdays"), ("hour", "hours")):
        for words, values in table("times", name).items():
            found |= {word: (axis, frozenset(values)) for word in words.split()}
    for axis, choices in table("times", "others").items():
        found |= {word: (axis, frozenset([value])) for word, value in choices.items()}
    return found


_OF_WORDS = _by_word()
_YEAR = re.compile(r"(?<![\d.,-])((?:19|20)\d\d)(?:\s?[-–/]\s?((?:19|20)\d\d))?(?![\d.,]\d)")
_DECADE = re.compile(r"\b((?:19|20)\d0)s\b")
_CLOCK = re.compile(r"(?<![\d.,:-])(?:(\d{1,2})(?:[:.]([0-5]\d))?\s?([ap])\.?m\b|([01]?\d|2[0-4]):([0-5]\d)\b)")
_ISO = re.compile(r"\b(?:19|20)\d\d-(\d\d)-(\d\d)\b")
_NAMES = "|".join(word for word, (axis, values) in _OF_WORDS.items() if axis == "month" and len(values) == 1)
_DAY = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?:{_NAMES})\b|\b(?:{_NAMES})\.? (\d{{1,2}})\b(?!:)", re.IGNORECASE
)


@functools.lru_cache(maxsize=4096)
def times(text: str) -> Times:
    """What a plain text says about time."""
    said: dict[str, set[int]] = {}
    for token in read(text):
        axis, values = _OF_WORDS.get(token.folded, ("", frozenset()))
        if axis and (token.folded != "may" or token.is_name):
            said.setdefault(axis, set()).update(values)
    if any(letter.isdigit() for letter in text):
        for axis, value in _in_digits(text):
            said.setdefault(axis, set()).add(value)
    return MappingProxyType({axis: frozenset(values) for axis, values in said.items()})


def _in_digits(text: str) -> "list[tuple[str, int]]":
    found = []
    for year in _YEAR.finditer(text):
        first = int(year[1])
        found += [("year", value) for value in range(first, max(first, min(int(year[2] or first), first + 50)) + 1)]
    for decade in _DECADE.finditer(text):
        found += [("year", int(decade[1]) + at) for at in range(10)]
    for clock in _CLOCK.finditer(text):
        hour = int(clock[4]) % 24 if clock[4] else int(clock[1]) % 12 + (12 if clock[3] == "p" else 0)
        found += [("hour", hour), ("clock", 100 * hour + int(clock[2] or clock[5] or 0))]
    for day in _ISO.finditer(text):
        found += [("month", int(day[1])), ("monthday", int(day[2]))]
    for day in _DAY.finditer(text):
        found.append(("monthday", int(day[1] or day[2])))
    return found


def compatibility(one: Times, other: Times) -> float:
    """The number of axes on which two texts give the same time, less that of the axes on which they differ.

    One time within another counts nearly as much as the same time; two that only overlap count as neither.
    """
    total = 0.0
    for axis in one.keys() & other.keys():
        mine, theirs = one[axis], other[axis]
        both = len(mine & theirs)
        if both in (len(mine), len(theirs)):
            total += 0.8 + 0.2 * both / len(mine | theirs)
        elif not both:
            total -= 1.0
    return total
