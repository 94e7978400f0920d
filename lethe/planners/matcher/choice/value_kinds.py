"""The kinds of value that a text gives: a name, an amount, a time of day, a weekday, a number, a place."""

import functools
import re

from lethe.planners.matcher.names.written_names import CALENDAR, TITLES
from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.syntax import verb_position
from lethe.planners.matcher.text.times import times
from lethe.planners.matcher.text.words import FUNCTION_WORDS, fold, words

_NUMBER_WORDS = "|".join(
    listed(
        """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen half
        third quarter"""
    )
)
_NUMBER = re.compile(rf"\d[\w.,]*|{_NUMBER_WORDS}", re.IGNORECASE)
_MONEY = re.compile(
    r"[$€£¥₹₽₩]|\b(?:euros?|dollars?|pounds?|francs?|crowns?|pesos?|rupees?|yen|cents?|kroner|kronor|usd|eur|gbp|chf|"
    r"free of charge|for free|pence|zloty|lei|lira|rand|naira|shillings?)\b",
    re.IGNORECASE,
)
_TITLED = re.compile(rf"\b(?:{'|'.join(sorted(TITLES))})\.?$", re.IGNORECASE)
_SOMEBODY = re.compile(
    r"\b(?:nobody|no one|none|everybody|everyone|somebody|someone|anybody|anyone|vacant)\b", re.IGNORECASE
)
_ONE_NAME = re.compile(r"[^\W\d_a-z][\w'-]*[^\Ws] ")
_PLACE = re.compile(
    r"\b(?:in|at|on|under|behind|above|below|beside|inside|opposite|near|next to) (?:the |a |an )?[\w']"
)


@functools.lru_cache(maxsize=4096)
def _all_kinds(text: str) -> frozenset[str]:
    said = times(text)
    found = {axis for axis in ("weekday", "month", "year") if axis in said}
    found |= {"clock"} if "clock" in said or "hour" in said else set()
    found |= {"money"} if _MONEY.search(text) else set()
    found |= {"place"} if _PLACE.search(text) else set()
    at = verb_position(text)
    opening = text[:at] if at else ""
    is_name = _ONE_NAME.fullmatch(opening) is not None and fold(opening[:-1]) not in FUNCTION_WORDS
    found |= {"name"} if is_name or _SOMEBODY.search(text) else set()
    return frozenset(found)


@functools.lru_cache(maxsize=8192)
def is_number(word: str) -> bool:
    """Whether a word is a number, in digits or letters."""
    return _NUMBER.fullmatch(word) is not None


def kinds(text: str, known: frozenset[str]) -> frozenset[str]:
    """The kinds of value in a cleaned text; names and numbers count where they are not among the `known` keys."""
    return _all_kinds(text) | {kind for key, kind in _values(text) if key not in known}


@functools.lru_cache(maxsize=4096)
def _values(text: str) -> tuple[tuple[str, str], ...]:
    """For each word of a text that is a number or a name, its key and which of the two it is."""
    found: list[tuple[str, str]] = []
    for word in words(text):
        if is_number(word.text):
            found.append((word.key, "number"))
        plain = fold(word.text)
        if word.is_capital and plain not in FUNCTION_WORDS and plain not in CALENDAR:
            ahead = text[: word.start].rstrip("\"'( ")
            if plain not in TITLES and (_TITLED.search(ahead) or (ahead and ahead[-1] not in ".;!?")):
                found.append((word.key, "name"))
    return tuple(found)


def asks_for_person(query: str) -> bool:
    """Whether the query asks who."""
    return re.match(r"(?:who|whom|whose)\b", query, re.IGNORECASE) is not None


def expected(query: str, fact: str, known: frozenset[str]) -> frozenset[str]:
    """The kinds of value that a new fact gives in answer to the query, or that the query asks for."""
    found = set(kinds(fact, known))
    if re.match(r"where\b", query, re.IGNORECASE):
        found.add("place")
    return frozenset(found)
