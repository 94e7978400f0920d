"""Requests to forget what a row says of one time ("the deploy of 12 February"): the rows of that time, and the rest."""

import re
from collections.abc import Sequence

from lethe.hooks.rules.identity.identifiers import WEAK_KINDS, find
from lethe.hooks.rules.scope.requests import read_request
from lethe.hooks.rules.text.syntax import verb_position
from lethe.hooks.rules.text.times import MONTH, NAMED, WEEKDAY, Times, latest_date, times
from lethe.hooks.rules.text.words import clean, words

_AXES = ("year", "season", "month", "day", "weekday", "monthday", "week", "hour", "relation")
_YEAR = r"(?:19|20)\d\d"
_ORDINAL = r"(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|last)"
_EXPRESSION = re.compile(
    r"(?:\b(?:of|from|on|in|for|up to|until|till|since|dated|during|around|over|at|before|after|prior to|earlier than|"
    r"later than|by)\s+)?(?:the\s+)?(?<![\w-])(?:"
    rf"{_YEAR}-\d\d(?:-\d\d)?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?:\s+of)?\s+(?:{MONTH})\b\.?(?:,?\s+{_YEAR})?"
    rf"|{_ORDINAL}[ -](?:week|half|quarter)\b(?:\s+of\s+(?:(?:the|this|last|next)\s+)?(?:year|{MONTH}|{_YEAR})\b)?"
    rf"|(?:{MONTH})\b\.?(?:\s+\d{{1,2}}(?:st|nd|rd|th)?\b)?(?:,?\s+{_YEAR})?"
    rf"|(?:{WEEKDAY})(?:'s)?\b|[qh][1-4]\b(?:\s+{_YEAR})?|(?:{NAMED})\b|week\s+\d{{1,2}}\b|{_YEAR}(?:[/-]\d\d)?\b(?!-)"
    r"|(?:19|20)?\d0s\b|(?:fif|six|seven|eigh|nine)ties\b|\d{1,2}(?:st|nd|rd|th)\b(?=$|[,;.?!])"
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


_PREAMBLE = re.compile(r"^.*[,;.:] .*\b(?:forget|drop|delete|erase|remove)\s+(?=\w+\s\w)", re.IGNORECASE)
"""Why something is to be forgotten, before what is."""


def _is_title(aside: str) -> bool:
    """Does an aside say what somebody is, with a time as part of that ("Farouk, the night porter")?"""
    is_noun = re.match(r"(?:the|our|my) ", aside) is not None
    return is_noun and any(word.is_content for word in words(_EXPRESSION.sub(" ", aside)))


_PART = re.compile(rf"\b({_ORDINAL})[ -](week|half) of (?:{MONTH})\b", re.IGNORECASE)
_ORDER = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}


def _days_of(ordinal: str, unit: str) -> frozenset[int]:
    """The days of a month in its nth week or half."""
    length = 7 if unit == "week" else 15
    if ordinal == "last":
        return frozenset(range(32 - length, 32))
    number = _ORDER.get(ordinal) or int(ordinal[:-2])
    return frozenset(range(length * (number - 1) + 1, length * number + 1 + (unit == "half")))


def _on_days(said: Times) -> dict[str, frozenset[int]]:
    """What a text says about time, a date also as the day of its month."""
    days = {"monthday": frozenset(day % 100 for day in said["day"])} if "day" in said else {}
    return {**days, **said}


def of_its_time(target: str, candidates: Sequence[str]) -> tuple[str, list[int], set[int]] | None:
    """What a request says besides the time, "" if nothing; the candidates that speak of that time, or of none if all
    is meant; and those that speak of another.

    None where the request names no time, or the time does not tell candidates apart.
    """
    text = _PREAMBLE.sub("", clean(target))
    if _NUMBERED.search(text):
        return None
    topic, *asides = _ASIDES.split(text)
    topic = " ".join([topic, *(aside for aside in asides if verb_position(aside) is None and not _is_title(aside))])
    asked = {axis: values for axis, values in _on_days(times(topic)).items() if axis in _AXES}
    part = _PART.search(text)
    if part:
        asked["monthday"] = _days_of(part[1].lower(), part[2].lower())
    rest = " ".join(_EXPRESSION.sub(" ", text).split())
    if not asked or (rest == text and "relation" not in asked):
        return None
    rest = rest if any(word.is_content for word in words(rest)) else ""
    numbers = {expression[0].split()[-1].lower() for expression in _EXPRESSION.finditer(text)}
    parts = [re.findall(r"\w+", code.surface.lower()) for code in read_request(text).codes]
    if any(len(part) > 1 and numbers & set(part) for part in parts):
        return None
    is_wide = bool(rest) and read_request(rest).is_wide
    days = [found for found in find(text) if found.kind == "date"]
    left, other, same = [], set(), 0
    for position, row in enumerate(candidates):
        said = _on_days(times(clean(row)))
        shared = asked.keys() & said.keys()
        is_day = any(day.is_same(other) for day in days for other in find(clean(row)))
        if not is_day and not all(asked[axis] & said[axis] for axis in shared):
            other.add(position)
        elif is_day or shared or is_wide:
            left.append(position)
            same += bool(shared) or is_day
    return (rest, left, other) if same and len(left) < len(candidates) else None


_NEWEST = re.compile(r"\b(?:latest|most recent|newest|newer)\b", re.IGNORECASE)
_OLDEST = re.compile(r"\b(?:oldest|older|earliest)\b", re.IGNORECASE)
_FORMER = re.compile(
    r"\b(?:used to|previous(?:ly)?|former(?:ly)?|old|back then)\b|"
    r"^(?:where|what|who|how|when|which)\b[^,;]* (?:was|were|did|had)\b",
    re.IGNORECASE,
)
_PRESENT = re.compile(r"\b(?:current(?:ly)?|present|these days|nowadays)\b", re.IGNORECASE)
_HELD = re.compile(
    r"\b(?:was|were|had|did|used to|former(?:ly)?|previous(?:ly)?|until|till|before|up to|\w{3,}ed)\b", re.IGNORECASE
)
_HOLDS = re.compile(r"\b(?:is|are|has|have|does|do|since|as of|from|will|now)\b|'(?:s|re|ve|m)\b(?= )", re.IGNORECASE)


def of_its_state(target: str, rows: Sequence[str], found: Sequence[int]) -> list[int]:
    """Of the rows found those of the latest or earliest date, or of how it was or how it is, as the request says."""
    text = _ASIDES.split(_PREAMBLE.sub("", clean(target)))[0]
    texts = {position: clean(rows[position]) for position in found}
    request = read_request(text)
    whole = read_request(clean(target))
    is_exact = any(re.search(r"\d", code.form) for code in whole.codes) or any(
        one.kind not in WEAK_KINDS for one in whole.identifiers
    )
    if len(texts) < 2 or request.is_wide or is_exact:
        return list(found)
    if _NEWEST.search(text) or _OLDEST.search(text):
        dates = {position: latest_date(times(row)) for position, row in texts.items()}
        known = [date for date in dates.values() if date]
        if len(set(known)) > 1:
            wanted = max(known) if _NEWEST.search(text) else min(known)
            return [position for position in found if dates[position] == wanted]
    is_past, is_present = _FORMER.search(text) is not None, _PRESENT.search(text) is not None
    if is_past == is_present:
        return list(found)
    held = [position for position in found if _HELD.search(texts[position]) and not _HOLDS.search(texts[position])]
    if not held or len(held) == len(texts):
        return list(found)
    return held if is_past else [position for position in found if position not in held]
