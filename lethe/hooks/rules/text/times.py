"""What a text says about time, as sets of months, weekdays, hours and so on, so that any two expressions compare."""

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from lethe.hooks.rules.text.lists import listed
from lethe.hooks.rules.text.words import words

Times = Mapping[str, frozenset[int]]
"""What a text says on each axis of time it speaks of: year, season (start year), month, day (month * 100 + day),
monthday, weekday (0 is Monday), hour, clock (hour * 100 + minute), week, ordinal, parity, relation,
nearness, rhythm, tense (1 is past, 2 present)."""

Add = Callable[[str, Iterable[int]], None]

_MONTH_NAMES = listed("january february march april may june july august september october november december")
_MONTHS = {name: number + 1 for number, name in enumerate(_MONTH_NAMES)}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY_NAMES = listed("monday tuesday wednesday thursday friday saturday sunday")
_DAYS = {name + ending: number for number, name in enumerate(_DAY_NAMES) for ending in ("", "s")}
_DAYS |= {name[:3]: number for number, name in enumerate(_DAY_NAMES)} | {"tues": 1, "thur": 3, "thurs": 3}
WEEKDAY = "|".join(sorted(_DAYS, key=len, reverse=True))
_NUMBERS = {
    word: number
    for number, word in enumerate(
        listed(
            """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
            seventeen eighteen nineteen twenty"""
        )
    )
} | {"quarter": 15, "half": 30}
_NUMBER = r"\d{1,2}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True))
_ORDINALS = {
    word: number + 1
    for number, word in enumerate(
        listed(
            """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
            fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third
            twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"""
        )
    )
}
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)|" + "|".join(sorted(_ORDINALS, key=len, reverse=True))
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6}
_NAMED_MONTHS = {
    "winter wintertime": (11, 12, 1, 2, 3),
    "spring springtime": (3, 4, 5),
    "summer summertime midsummer": (5, 6, 7, 8, 9),
    "autumn": (9, 10, 11),
    "christmas xmas advent yuletide hanukkah": (12,),
    "easter lent": (3, 4),
    "whitsun pentecost": (5, 6),
    "halloween": (10,),
    "thanksgiving": (11,),
    "carnival valentine valentine's": (2,),
}
_MONTHS_OF = {name: frozenset(months) for names, months in _NAMED_MONTHS.items() for name in names.split()}
_NAMED_HOURS = {
    "dawn sunrise daybreak": range(4, 8),
    "early earlies": range(4, 13),
    "morning mornings breakfast am": range(4, 12),
    "noon midday lunch lunchtime": range(11, 15),
    "afternoon afternoons teatime pm": range(12, 18),
    "evening evenings dinner supper dusk sunset tonight bedtime": range(17, 24),
    "late lates": range(14, 24),
    "night nights nightly overnight midnight nightfall dark": (20, 21, 22, 23, 0, 1, 2, 3),
}
_HOURS_OF = {name: frozenset(hours) for names, hours in _NAMED_HOURS.items() for name in names.split()}
_NAMED_DAYS = {
    "weekday weekdays workday workdays": frozenset(range(5)),
    "weekend weekends": frozenset({5, 6}),
}
_DAYS_OF = {name: days for names, days in _NAMED_DAYS.items() for name in names.split()}
_PARTS_OF_DAY = listed("morning mornings afternoon afternoons evening evenings night nights")
NAMED = "|".join(sorted({*_MONTHS_OF, *_DAYS_OF, *_PARTS_OF_DAY} - {"lent"}, key=len, reverse=True))
"""Seasons, feasts, parts of the week and of the day, as alternatives of a pattern."""
_CHOICES = {
    "parity": {"odd": 1, "even": 2},
    "relation": {"before": 1, "after": 2},
    "nearness": {"last": 1, "previous": 1, "past": 1, "this": 2, "next": 3, "coming": 3},
    "rhythm": {"daily": 1, "weekly": 2, "fortnightly": 3, "monthly": 4, "quarterly": 5, "yearly": 6, "annual": 6},
}
_LONG = 40
"""Years that an open span ("since 2021") is taken to last."""
_BEHIND_DAY = (
    r"[.,;:)!?]|$| (?:of (?:last|this|next|the|each|every)|and|or|at|to|by|in|for|with|until|till|instead|now|from)\b"
)
"""What stands behind the day of a month ("due on the 12th, noon"), and not behind an ordinal ("the 12th floor")."""
_UNIT = "week|month|quarter|term|semester|season|year|winter|spring|summer|autumn|fall"
_DECADES = {"forties": 1940, "fifties": 1950, "sixties": 1960, "seventies": 1970, "eighties": 1980, "nineties": 1990}
_DECADE = re.compile(rf"(?<!\bher )(?<!\bhis )(?<!\bmy )(?<!\btheir )\b({'|'.join(_DECADES)})\b")
_DIGIT = re.compile(r"\d")
_NUMBERED = (
    "term|phase|round|semester|trimester|shift|stage|session|period|lap|act|sprint|wave|dose|instalment|half|week|day"
)


@functools.lru_cache(maxsize=4096)
def times(text: str) -> Times:
    """What a cleaned text says about time."""
    said: dict[str, set[int]] = {}

    def add(axis: str, values: Iterable[int]) -> None:
        said.setdefault(axis, set()).update(values)

    lowered = text.lower()
    _read_years(lowered, add)
    _read_months(text, lowered, add)
    _read_clock(lowered, add)
    span = rf"\b({WEEKDAY})\b\.?(?:(?: to | through | until |-| - )({WEEKDAY})\b)?"
    for found in re.finditer(span, text, re.IGNORECASE):
        if found[1][0].isupper():
            first, last = _DAYS[found[1].lower()], _DAYS[(found[2] or found[1]).lower()]
            add("weekday", (day % 7 for day in range(first, last + (7 if last < first else 0) + 1)))
    for word in words(lowered):
        add_named = {"month": _MONTHS_OF, "weekday": _DAYS_OF}
        for axis, named in add_named.items():
            if word.text in named:
                add(axis, named[word.text])
        if word.text in _HOURS_OF and "clock" not in said:
            add("hour", _HOURS_OF[word.text])
        for axis, choices in _CHOICES.items():
            if axis != "nearness" and word.text in choices:
                add(axis, (choices[word.text],))
    for found in re.finditer(rf"\b(last|this|next|previous|past|coming) (?:{_UNIT})\b", lowered):
        add("nearness", (_CHOICES["nearness"][found[1]],))
    if re.search(r"\b(?:until|till|up to) (?:the|our|my|his|her|their|then)\b", lowered):
        add("relation", (1,))
    for found in re.finditer(r"\b(?:week|wk|kw)\.? ?(\d{1,2})\b", lowered):
        add("week", (int(found[1]),))
    for found in re.finditer(rf"\b({_ORDINAL})\b(?! (?:of )?(?:{MONTH})\b)", lowered):
        if not re.search(rf"\b(?:{MONTH})\.? (?:the )?$", lowered[: found.start()]):
            is_day = found[1][0].isdigit() and re.match(_BEHIND_DAY, lowered[found.end() :])
            add("monthday" if is_day else "ordinal", (_ordinal(found[1]),))
    for found in re.finditer(rf"\b(?:{_NUMBERED}) (\d|i{{1,3}}|iv|vi?)\b", lowered):
        add("ordinal", (_ROMAN.get(found[1]) or int(found[1]),))
    if _PAST.search(lowered):
        add("tense", (1,))
    elif says_now(text):
        add("tense", (2,))
    if "exact year" in said:
        said["year"] = said.pop("exact year")
    return MappingProxyType({axis: frozenset(values) for axis, values in said.items() if values})


def _read_years(text: str, add: Add) -> None:
    for found in _DECADE.finditer(text):
        add("year", range(_DECADES[found[1]], _DECADES[found[1]] + 10))
    if not _DIGIT.search(text):
        return
    for found in re.finditer(r"(?<![\d/.-])((?:19|20)\d\d)[/-]((?:19|20)?\d\d)\b(?!-)", text):
        first, last = int(found[1]), int(found[1][: 4 - len(found[2])] + found[2])
        if last == first + 1:
            add("season", (first,))
        elif first < last < first + 30 and len(found[2]) == 4:
            add("year", range(first, last + 1))
    ended = rf"\b(?:end(?:ed|ing|s)?|closed) (?:in|on) (?:\w+ )?(?:(?:{MONTH}) )?((?:19|20)\d\d)\b"
    for found in re.finditer(ended, text):
        add("season", (int(found[1]) - 1,))
    for found in re.finditer(
        r"(?<!\bbefore )(?<![/\d.])((?:19|20)\d\d)(?![/\d]|-\d\d\b(?!-))|'(\d\d)\b|\bfy ?(\d\d)\b", text
    ):
        add("year", (int(found[1] or "20" + (found[2] or found[3])),))
    year_of = r"((?:19|20)\d\d)"
    span = rf"\b(?:(from|since|after)|(before|until|till|up to)) {year_of}\b(?!-)(?: (?:to|until|till|-) {year_of})?"
    for found in re.finditer(span, text):
        year, last = int(found[3]), int(found[4] or 0)
        if found[1] and (last or found[1] != "from"):
            add("year", range(year, (last or year + _LONG) + 1))
        elif found[2] and not re.search(r"\bfrom (?:19|20)\d\d $", text[: found.start()]):
            add("year", range(year - _LONG, year + (found[2] != "before")))
    away = rf"\b(?:the year|(an?|one|two|three|four|five|\d) years?) (before|after|earlier than|later than) {year_of}\b"
    for found in re.finditer(away, text):
        many = 1 if found[1] in (None, "a", "an") else _number(found[1])
        add("exact year", (int(found[3]) + (many if found[2] in ("after", "later than") else -many),))
    for found in re.finditer(rf"\bbetween {year_of} and {year_of}\b", text):
        add("year", range(int(found[1]), int(found[2]) + 1))
    for found in re.finditer(r"\b((?:19|20)\d0)s\b", text):
        add("year", range(int(found[1]), int(found[1]) + 10))


def _read_dates(lowered: str, add: Add) -> None:
    """Dates and spans of days that are written with digits."""
    for found in re.finditer(r"\b((?:19|20)\d\d)-(0[1-9]|1[0-2])(?:-(\d\d))?\b", lowered):
        add("year", (int(found[1]),))
        add("month", (int(found[2]),))
        if found[3]:
            add("day", (int(found[2]) * 100 + int(found[3]),))
    days = r"(\d{1,2})(?:st|nd|rd|th)?(?: ?- ?| to | until | till | through )(\d{1,2})(?:st|nd|rd|th)?"
    for found in re.finditer(rf"\b{days} ({MONTH})\b|\b({MONTH})\.? {days}\b(?!:)", lowered):
        month, first, last = _MONTHS[found[3] or found[4]], int(found[1] or found[5]), int(found[2] or found[6])
        add("day", (month * 100 + of_month for of_month in range(first, min(last, 31) + 1)))
    for found in re.finditer(r"(?<![\d./-])(\d{1,2})([./])(\d{1,2})\2((?:19|20)?\d\d)?(?![\d/]|\.\d)", lowered):
        one, other = int(found[1]), int(found[3])
        dates = [(one, other)] if found[2] == "." else [(one, other), (other, one)]
        dates = [(of_month, month) for of_month, month in dates if 0 < month < 13 and 0 < of_month < 32]
        is_full = len(found[1]) == len(found[3]) == 2 and found[2] == lowered[found.end() : found.end() + 1] == "."
        if dates and (found[4] or is_full):
            add("month", (month for _, month in dates))
            add("day", (month * 100 + of_month for of_month, month in dates))
            add("year", (int(found[4]) % 2000 + 2000 if len(found[4]) == 2 else int(found[4]),) if found[4] else ())


def _read_months(text: str, lowered: str, add: Add) -> None:
    if _DIGIT.search(lowered):
        _read_dates(lowered, add)
    day_number = rf"({_ORDINAL}|\d{{1,2}})"
    day = rf"\b{day_number}(?: of)? ({MONTH})\b|\b({MONTH})\.? (?:the )?{day_number}\b(?!:)"
    for found in re.finditer(day, lowered):
        month, of_month = _MONTHS[found[2] or found[3]], found[1] or found[4]
        add("month", (month,))
        add("day", (month * 100 + (int(of_month) if of_month.isdigit() else _ordinal(of_month)),))
    span = rf"(?<!\bbefore )\b({MONTH})\b\.?(?:'?\d\d)?(?:(?: to | through | until | till | and |-| - )({MONTH})\b)?"
    for found in re.finditer(span, text, re.IGNORECASE):
        if found[1][0].isupper():
            first, last = _MONTHS[found[1].lower()], _MONTHS[(found[2] or found[1]).lower()]
            add("month", ((month - 1) % 12 + 1 for month in range(first, last + (12 if last < first else 0) + 1)))
    open_ended = (
        r"\b(until|till|through|before|up to|after|from|since) (?:the )?(?:end of |\d{1,2}(?:st|nd|rd|th)? )?"
        rf"({MONTH})\b(?: (on|onwards?)\b)?"
    )
    for found in re.finditer(open_ended, lowered):
        month = _MONTHS[found[2]]
        if found[1] in ("before", "up to"):
            add("month", range(1, month))
        elif found[1] in ("until", "till", "through") and not re.search(
            rf"\b(?:from|{MONTH}) \w* ?$", lowered[: found.start()]
        ):
            add("month", range(1, month + 1))
        elif found[1] == "after" or found[3]:
            add("month", range(month + (found[1] == "after"), 13))
    quarter = rf"\bq([1-4])\b|\b({_ORDINAL})[ -]quarter\b|\bquarter (?:that )?(?:end(?:ing|ed|s)) in ({MONTH})\b"
    for found in re.finditer(quarter, lowered):
        number = (_MONTHS[found[3]] + 2) // 3 if found[3] else int(found[1] or 0) or _ordinal(found[2])
        add("month", range(3 * number - 2, 3 * number + 1) if number < 5 else ())
    for found in re.finditer(
        rf"\bh([12])\b|\b({_ORDINAL})[ -]half\b(?! of (?:the|each|every) (?:month|week|term|day))", lowered
    ):
        number = int(found[1] or 0) or _ordinal(found[2])
        add("month", range(6 * number - 5, 6 * number + 1) if number < 3 else ())
    if re.search(r"\bmid-?year\b|half-?way through the year", lowered):
        add("month", (6, 7))
    if re.search(r"\byear-?'?s?-? ?end\b|\bend of the year\b", lowered):
        add("month", (12,))


_BEFORE_CLOCK = re.compile(r"\b(?:at|from|until|till|by|before|after|around|the) $")


def _read_clock(text: str, add: Add) -> None:
    for found in re.finditer(r"(?<![\d.,:-])(\d{1,2})([:.])(\d\d)\b(?![.:-]?\d)(?: ?([ap])\.?m\b)?", text):
        hour, minute = int(found[1]), int(found[3])
        is_clock = found[2] == ":" or found[4] or _BEFORE_CLOCK.search(text[: found.start()])
        if is_clock and hour < 25 and minute < 60:
            hour = hour % 12 + 12 if found[4] == "p" else hour % 24
            add("hour", (hour,))
            add("clock", (hour * 100 + minute,))
    for found in re.finditer(rf"\b(?:{WEEKDAY})\.?,? (\d{{1,2}}) ?(?:-|to) ?(\d{{1,2}})\b(?![.:/-]?\d)", text):
        if int(found[1]) < int(found[2]) < 25:
            add("hour", range(int(found[1]), int(found[2])))
    for found in re.finditer(rf"\b({_NUMBER}) ?([ap])\.?m\b", text):
        hour = _number(found[1]) % 12 + (12 if found[2] == "p" else 0)
        add("hour", (hour,))
        add("clock", (hour * 100,))
    for found in re.finditer(rf"\b({_NUMBER})[ -](past|to|after)[ -]({_NUMBER})\b", text):
        minute, hour = _number(found[1]), _number(found[3])
        if 0 < hour <= 12 and 0 < minute < 60 and found[2] != "after":
            hour, minute = (hour, minute) if found[2] == "past" else (hour - 1, 60 - minute)
            add("hour", (hour % 24, (hour + 12) % 24))
            add("clock", (hour * 100 + minute, (hour + 12) % 24 * 100 + minute))
    spoken = "|".join(list(_NUMBERS)[1:13])
    at = rf"\b(?:at|until|till|by|from|before|after|around) ({spoken})\b(?=[,.;]|$| (?:in the|on|every|sharp|to|and)\b)"
    for found in re.finditer(at, text):
        add("hour", (_NUMBERS[found[1]] % 24, (_NUMBERS[found[1]] + 12) % 24))
    for found in re.finditer(rf"\b({_NUMBER}) o'? ?clock\b", text):
        add("hour", (_number(found[1]) % 24, (_number(found[1]) + 12) % 24))


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word]


def _ordinal(word: str) -> int:
    return _ORDINALS.get(word) or int(word[:-2])


VALUES = frozenset({"day", "monthday", "hour", "clock", "tense"})
"""Axes on which a new fact often says what is new: when the thing now takes place."""


_START = re.compile(
    r"(?:as of|as from|since|starting|beginning|effective|with effect from|valid from|"
    r"from(?!.{0,25}\b(?:to|until|till)\b))\b",
    re.IGNORECASE,
)


def new_values(fact: str) -> frozenset[str]:
    """The axes on which a new fact may say what is new; where it opens with a start ("As of 1 May"), the date too."""
    return VALUES | {"year", "month", "season", "weekday"} if _START.match(fact) else VALUES


def agreement(one: Times, other: Times, tolerated: frozenset[str] = frozenset()) -> float:
    """On how many axes two texts speak of the same time, less those on which they differ.

    Axes of `tolerated` may differ. One time within another counts nearly as much as the same time; two that merely
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


_PAST = re.compile(
    r"\b(?:former(?:ly)?|previous(?:ly)?|used to|back then|at the time|"
    r"(?<!from \d{4} )(?:until|till|up to) (?:19|20)\d\d)\b"
)
_NOW = re.compile(
    r"\b(?:now|nowadays|current(?:ly)?|present(?:ly)?|these days|today|at the moment|latest|still|since|"
    r"ha(?:s|ve) been)\b",
    re.IGNORECASE,
)


def says_now(text: str) -> bool:
    """Does a text say that it holds at present?"""
    return _NOW.search(text) is not None
