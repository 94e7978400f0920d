"""Requests for what is said of one time ("the deploy of 12 February"): the memories of that time, and the rest."""

import re
from collections.abc import Iterable, Sequence

from lethe.planners.matcher.identity.identifier_finders import WEAK_KINDS, find
from lethe.planners.matcher.scope.requests import read_request
from lethe.planners.matcher.text.compatible_times import latest_date
from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.syntax import verb_position
from lethe.planners.matcher.text.times import MONTH, NAMED, WEEKDAY, says_now, times
from lethe.planners.matcher.text.words import clean, words

_AXES = ("year", "season", "feast", "month", "day", "weekday", "nth", "monthday", "week", "hour", "relation")
_FEASTS = {
    word: number
    for number, names in enumerate(
        listed(
            "ramadan,ramzan eid passover,pesach purim diwali,divali holi nowruz,norooz tet hogmanay michaelmas sukkot"
        )
    )
    for word in names.split(",")
}
"""Feasts and seasons whose months vary or are little known, each by its number."""
_YEAR = r"(?:19|20)\d\d"
_ORDINAL = r"(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|last)"
_TO = r"\s*(?:-|to|and|until|till|through|up to)\s*"
_DAY = rf"\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{MONTH})\b"
_SPAN = rf"{_DAY}{_TO}(?:the )?{_DAY}"
_EXPRESSION = re.compile(
    r"(?:\b(?:of|from|on|in|for|up to|until|till|since|dated|during|around|over|at|before|after|prior to|"
    r"earlier than|later than|by|between)\s+)?(?:the\s+)?(?:week (?:of|beginning|starting|commencing)\s+)?(?<![\w-])(?:"
    rf"{_SPAN}|{_YEAR}{_TO}{_YEAR}\b(?!-)|(?<=from )\d{{1,2}}{_TO}\d{{1,2}}$|"
    rf"(?:{MONTH})\b{_TO}(?:{MONTH})\b(?:,?\s+{_YEAR})?|"
    rf"{_YEAR}-\d\d(?:-\d\d)?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?:\s+of)?\s+(?:{MONTH})\b\.?(?:,?\s+{_YEAR})?"
    rf"|{_ORDINAL}[ -](?:week|half|quarter)\b(?:\s+of\s+(?:(?:the|this|last|next)\s+)?(?:year|{MONTH}|{_YEAR})\b)?"
    rf"|(?:{MONTH})\b\.?(?:\s+\d{{1,2}}(?:st|nd|rd|th)?\b)?(?:,?\s+{_YEAR})?"
    rf"|(?:{_ORDINAL}\s+)?(?:{WEEKDAY})(?:'s)?\b(?: of (?:the|each|every) month\b)?|[qh][1-4]\b(?:\s+{_YEAR})?"
    rf"|(?:{NAMED}|{'|'.join(_FEASTS)})\b|week\s+\d{{1,2}}\b|{_YEAR}(?:[/-]\d\d)?\b(?!-)"
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
"""A number that looks like a month, after the thing that it numbers ("invoice 2024-07")."""


_PREAMBLE = re.compile(r"^.*[,;.:] .*\b(?:forget|drop|delete|erase|remove)\s+(?=\w+\s\w)", re.IGNORECASE)
"""Why something is to be forgotten, before what it is."""


def _is_title(aside: str) -> bool:
    """Whether an aside says what somebody is, with a time as part of that ("Farouk, the night porter")."""
    is_noun = re.match(r"(?:the|our|my) ", aside) is not None
    return is_noun and any(word.is_content for word in words(_EXPRESSION.sub(" ", aside)))


_PART = re.compile(rf"\b({_ORDINAL})[ -](week|half) of (?:{MONTH})\b", re.IGNORECASE)
_NTH = re.compile(rf"\b({_ORDINAL})\s+(?:{WEEKDAY})\b", re.IGNORECASE)
_ORDER = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}


def _days_of(ordinal: str, unit: str) -> frozenset[int]:
    """The days of a month in its nth week or half."""
    length = 7 if unit == "week" else 15
    if ordinal == "last":
        return frozenset(range(32 - length, 32))
    number = _ORDER.get(ordinal) or int(ordinal[:-2])
    return frozenset(range(length * (number - 1) + 1, length * number + 1 + (unit == "half")))


def _is_compatible(asked: frozenset[int], said: frozenset[int]) -> bool:
    """Whether two spans of time share at least half of the shorter one.

    That one begins as the other ends is not enough.
    """
    both = asked & said
    if 2 * len(both) < min(len(asked), len(said)):
        return False
    if len(both) != 1 or min(len(asked), len(said)) == 1:
        return bool(both)
    return not (both == {max(asked)} == {min(said)} or both == {min(asked)} == {max(said)})


_DAYS = re.compile(
    rf"{_DAY}\s*(?:-|to|until|till|through|up to)\s*(?:the )?{_DAY}|(?<=between ){_DAY} and (?:the )?{_DAY}",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\bsince (?:the|our|my|his|her|their) (?!\d)", re.IGNORECASE)
_ONE_DAY = re.compile(_DAY, re.IGNORECASE)
_OF_YEAR = frozenset(100 * month + day for month in range(1, 13) for day in range(1, 32))
_HOURS = re.compile(
    r"\b(?:from|between) (\d{1,2}) ?(?:to|until|till|and|-) ?(\d{1,2})(?=[,.;]|$| (?:on|in the|every|o'clock|h)\b|"
    rf" (?!(?:{MONTH})\b)(?:{WEEKDAY}|the\b|we\b|he\b|she\b|they\b|(?-i:[A-Z])))|"
    r"(?<![\d:.])(\d{1,2})[:.]\d\d ?(?:-|to|until|till) ?(\d{1,2})[:.]\d\d(?![\d.:])",
    re.IGNORECASE,
)
"""A span of hours, the last one not included."""


def _hours(first: int, last: int) -> frozenset[int]:
    """The hours of a span; one that seems to end before it begins goes past noon or midnight."""
    if last < first:
        last += 12 if first <= 12 else 24
    return frozenset(hour % 24 for hour in range(first, max(last, first + 1)))


def _on_days(text: str) -> dict[str, frozenset[int]]:
    """What a text says about time; a date also as the day of its month, a week of a month as its days."""
    said = times(text)
    days: dict[str, frozenset[int]] = {}
    if whole := _DAYS.search(text):
        first, last = (min(times(day)["day"]) for day in _ONE_DAY.findall(whole[0]))
        is_in = (lambda day: first <= day <= last) if first <= last else (lambda day: day >= first or day <= last)
        days["day"] = frozenset(filter(is_in, _OF_YEAR))
    elif "day" in said:
        days["monthday"] = said.get("monthday", frozenset(day % 100 for day in said["day"]))
    span = _HOURS.search(text)
    if span and max(hours := [int(hour) for hour in span.groups() if hour]) < 25:
        days["hour"] = _hours(*hours)
    days["feast"] = frozenset(_FEASTS[word.text] for word in words(text.lower()) if word.text in _FEASTS)
    if _SINCE.search(text):
        days["relation"] = said.get("relation", frozenset()) | {2}
    if nth := _NTH.search(text):
        days["nth"] = frozenset((_ORDER.get(nth[1].lower()) or (int(nth[1][:-2]) if nth[1][0].isdigit() else -1),))
    if part := _PART.search(text):
        days["monthday"] = _days_of(part[1].lower(), part[2].lower())
    return {axis: values for axis, values in {**said, **days}.items() if values}


def of_its_time(target: str, candidates: Sequence[str]) -> tuple[str, list[int], set[int]] | None:
    """The candidates of the time that a request names; None where it names none or the time does not tell them apart.

    Returns:
        What the request says besides the time, or ""; the positions of the candidates of that time, with those of no
        time if everything is meant; and the positions of those of another time.
    """
    text = _PREAMBLE.sub("", clean(target))
    if _NUMBERED.search(text):
        return None
    topic, *asides = _ASIDES.split(text)
    topic = " ".join([topic, *(aside for aside in asides if verb_position(aside) is None and not _is_title(aside))])
    asked = {axis: values for axis, values in _on_days(topic).items() if axis in _AXES}
    rest = " ".join(_EXPRESSION.sub(" ", text).split())
    if not asked or (rest == text and "relation" not in asked):
        return None
    rest = rest if any(word.is_content for word in words(rest)) else ""
    numbers = {expression[0].split()[-1].lower() for expression in _EXPRESSION.finditer(text)}
    parts = [re.findall(r"\w+", code.surface.lower()) for code in read_request(text).codes]
    if any(len(part) > 1 and numbers & set(part) for part in parts):
        return None
    is_wide = bool(rest) and read_request(rest).is_wide
    days = [] if _DAYS.search(text) else [found for found in find(text) if found.kind == "date"]
    left, other, same = [], set(), 0
    for position, memory in enumerate(candidates):
        said = _on_days(clean(memory))
        shared = asked.keys() & said.keys()
        is_day = any(day.is_same(other) for day in days for other in find(clean(memory)))
        if not is_day and not all(_is_compatible(asked[axis], said[axis]) for axis in shared):
            other.add(position)
        elif is_day or shared or is_wide:
            left.append(position)
            same += bool(shared) or is_day
    return (rest, left, other) if same and len(left) < len(candidates) else None


_NEWEST = re.compile(r"\b(?:latest|most recent|newest|newer)\b", re.IGNORECASE)
_OLDEST = re.compile(r"\b(?:oldest|older|earliest)\b", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:first|original|initial)\b(?! (?:of|week|half|quarter|floor|name))", re.IGNORECASE)
_NEW = re.compile(r"\b(?:the|our|my|'s) new (\w+)", re.IGNORECASE)
_FORMER = re.compile(
    r"\b(?:used to|previous(?:ly)?|former(?:ly)?|old|back then)\b|"
    r"^(?:where|what|who|how|when|which)\b[^,;]* (?:was|were|did|had)\b",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\b(?:current(?:ly)?|present|these days|nowadays|right now|at the moment)\b|"
    r"^(?:where|what|who|how|which)\b[^,;]* now\b",
    re.IGNORECASE,
)
_HELD = re.compile(
    r"\b(?:was|were|had|did|used to|former(?:ly)?|previous(?:ly)?|until|till|before|up to|\w{3,}ed)\b", re.IGNORECASE
)
_HOLDS = re.compile(r"\b(?:is|are|has|have|does|do|since|as of|from|will|now)\b|'(?:s|re|ve|m)\b(?= )", re.IGNORECASE)
_FOR_NOW = re.compile(
    r"\b(?:temporar(?:y|ily)|provisional(?:ly)?|interim|makeshift|stopgap|for the time being|for now)\b", re.IGNORECASE
)
_PASSING = re.compile(
    rf"{_FOR_NOW.pattern}|\b(?:meanwhile|pending|until further notice|(?:for|in) the (?:time being|moment|meantime)|"
    r"for now|while|as long as|(?:until|till) (?:the (?!\d)|our|my|his|her|their|we|he|she|it|they)\b)",
    re.IGNORECASE,
)
"""What holds only for a time; "until June" is also said of what ends by itself."""


def _say_all(memories: Iterable[str], word: str) -> bool:
    """Whether all memories have a word, so that it does not tell them apart ("the old oak")."""
    return all(re.search(rf"\b{re.escape(word)}\b", memory, re.IGNORECASE) for memory in memories)


def of_its_state(target: str, memories: Sequence[str], found: Sequence[int]) -> list[int]:
    """Of the memories found, those of the date or state that a request asks for; all where it asks for none.

    That is the latest or earliest date, or how something was or how it is.
    """
    text = _ASIDES.split(_PREAMBLE.sub("", clean(target)))[0]
    texts = {position: clean(memories[position]) for position in found}
    request = read_request(text)
    whole = read_request(clean(target))
    if _FOR_NOW.search(text):
        passing = [position for position in found if _PASSING.search(texts[position])]
        return passing or list(found)
    is_exact = any(re.search(r"\d", code.form) for code in whole.codes) or any(
        one.kind not in WEAK_KINDS for one in whole.identifiers
    )
    if len(texts) < 2 or request.is_wide or is_exact:
        return list(found)
    is_first = _FIRST.search(text) is not None and not any(_FIRST.search(memory) for memory in texts.values())
    if is_first or _NEWEST.search(text) or _OLDEST.search(text):
        dates = {position: latest_date(times(memory)) for position, memory in texts.items()}
        known = [date for date in dates.values() if date]
        if len(set(known)) > 1:
            wanted = max(known) if _NEWEST.search(text) else min(known)
            return [position for position in found if dates[position] == wanted]
    if new := _NEW.search(text):
        is_new, is_old = (re.compile(rf"\b{word} {new[1]}\b", re.IGNORECASE) for word in ("new", "(?:old|former)"))
        if any(is_new.search(memory) for memory in texts.values()):
            return [position for position in found if not is_old.search(texts[position])]
    is_past = any(not _say_all(texts.values(), found[0]) for found in _FORMER.finditer(text))
    is_present = _PRESENT.search(text) is not None
    if is_past == is_present:
        return list(found)
    told = [position for position in found if is_present and says_now(texts[position])]
    if told:
        return told
    held = [position for position in found if _HELD.search(texts[position]) and not _HOLDS.search(texts[position])]
    if not held or len(held) == len(texts):
        return list(found)
    return held if is_past else [position for position in found if position not in held]
