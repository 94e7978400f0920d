"""Requests to forget what a row says of one time ("the deploy of 12 February"): the rows of that time, and the rest."""

import re
from collections.abc import Sequence

from lethe.hooks.rules.identifiers import find
from lethe.hooks.rules.requests import read_request
from lethe.hooks.rules.syntax import verb_position
from lethe.hooks.rules.times import MONTH, NAMED, WEEKDAY, times
from lethe.hooks.rules.words import clean, words

_AXES = ("year", "season", "month", "day", "weekday", "week", "hour")
_YEAR = r"(?:19|20)\d\d"
_EXPRESSION = re.compile(
    r"(?:\b(?:of|from|on|in|for|up to|until|till|since|dated|during|around|over|at)\s+)?(?:the\s+)?(?<![\w-])(?:"
    rf"{_YEAR}-\d\d(?:-\d\d)?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?:\s+of)?\s+(?:{MONTH})\b\.?(?:,?\s+{_YEAR})?"
    rf"|(?:{MONTH})\b\.?(?:\s+\d{{1,2}}(?:st|nd|rd|th)?\b)?(?:,?\s+{_YEAR})?"
    rf"|(?:{WEEKDAY})(?:'s)?\b|q[1-4]\b(?:\s+{_YEAR})?|(?:{NAMED})\b|week\s+\d{{1,2}}\b|{_YEAR}(?:[/-]\d\d)?\b(?!-)"
    r")(?![\w-])",
    re.IGNORECASE,
)

_ASIDES = re.compile(r"[,;]\s+|\s-\s")
_NUMBERED = re.compile(
    rf"\b(?!(?:of|from|on|in|for|until|till|since|dated|during|before|after|by|to|date)\b)[a-z]{{3,}} "
    rf"(?:no\.? |#)?{_YEAR}-\d\d\b",
    re.I,
)
"""A number that looks like a month, behind what it numbers ("invoice 2024-07")."""


def _is_title(aside: str) -> bool:
    """Does an aside say what somebody is, with a time as part of that ("Farouk, the night porter")?"""
    is_noun = re.match(r"(?:the|our|my) ", aside) is not None
    return is_noun and any(word.is_content for word in words(_EXPRESSION.sub(" ", aside)))


def of_its_time(target: str, candidates: Sequence[str]) -> tuple[str, list[int]] | None:
    """What a request says besides the time, and the candidates that speak of that time, or of none if all is meant.

    None where the request names no time, says nothing else, or the time does not tell candidates apart.
    """
    text = clean(target)
    if _NUMBERED.search(text):
        return None
    topic, *asides = _ASIDES.split(text)
    topic = " ".join([topic, *(aside for aside in asides if verb_position(aside) is None and not _is_title(aside))])
    asked = {axis: values for axis, values in times(topic).items() if axis in _AXES}
    rest = " ".join(_EXPRESSION.sub(" ", text).split())
    if not asked or rest == text or not any(word.is_content for word in words(rest)):
        return None
    is_wide = read_request(rest).is_wide
    days = [found for found in find(text) if found.kind == "date"]
    left, same = [], 0
    for position, row in enumerate(candidates):
        said = times(clean(row))
        shared = asked.keys() & said.keys()
        is_day = any(day.is_same(other) for day in days for other in find(clean(row)))
        if is_day or ((shared or is_wide) and all(asked[axis] & said[axis] for axis in shared)):
            left.append(position)
            same += bool(shared) or is_day
    return (rest, left) if same and len(left) < len(candidates) else None
