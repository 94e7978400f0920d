"""What a text says about time, as sets of months, weekdays, hours and so on, so that any two expressions compare."""

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from lethe.planners.matcher.evidence.tables import table
from lethe.planners.matcher.evidence.text.lists import listed
from lethe.planners.matcher.evidence.text.words import letter_runs, words

Times = Mapping[str, frozenset[int]]
"""What a text says on each axis of time that it mentions: year, season (start year), month, day (month * 100 + day),
monthday, weekday (0 is Monday), hour, clock (hour * 100 + minute), week, ordinal, parity, relation, nearness, rhythm,
tense (1 is past, 2 present)."""

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
_NAMED_MONTHS = table("times", "named_months")
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
_CHOICES = table("times", "choices")
_LONG = 40
"""Years that an open span ("since 2021") is taken to last."""
_BEHIND_DAY = re.compile(
    r"[.,;:)!?]|$| (?:of (?:last|this|next|the|each|every)|and|or|at|to|by|in|for|with|until|till|instead|now|from)\b"
)
"""What follows the day of a month ("due on the 12th, noon"), and not an ordinal ("the 12th floor")."""
_UNIT = "week|month|quarter|term|semester|season|year|winter|spring|summer|autumn|fall"
_DECADES = {"forties": 1940, "fifties": 1950, "sixties": 1960, "seventies": 1970, "eighties": 1980, "nineties": 1990}
_DECADE = re.compile(rf"(?<!\bher )(?<!\bhis )(?<!\bmy )(?<!\btheir )\b({'|'.join(_DECADES)})\b")
_DIGIT = re.compile(r"\d")
_NUMBERED = listed(
    "term phase round semester trimester shift stage session period lap act sprint wave dose instalment half week day"
)
_OF_WORDS = {
    word: (axis, values)
    for axis, named in (("month", _MONTHS_OF), ("weekday", _DAYS_OF), ("hour", _HOURS_OF))
    for word, values in named.items()
} | {
    word: (axis, frozenset((value,)))
    for axis in ("parity", "relation", "rhythm")
    for word, value in _CHOICES[axis].items()
}
"""What single words say, and on which axis; no word says something on two."""


@functools.lru_cache(maxsize=4096)
def times(text: str) -> Times:
    """What a cleaned text says about time."""
    said: dict[str, set[int]] = {}

    def add(axis: str, values: Iterable[int]) -> None:
        said.setdefault(axis, set()).update(values)

    lowered = text.lower()
    # Most texts say little of time: a pattern is tried only where a word or digit that it needs is there.
    letters = letter_runs(text)
    has_digit = _DIGIT.search(lowered) is not None
    _read_years(lowered, letters, has_digit, add)
    _read_months(text, lowered, letters, has_digit, add)
    _read_clock(lowered, letters, has_digit, add)
    if not letters.isdisjoint(_DAYS):
        for found in _WEEKDAYS.finditer(text):
            if found[1][0].isupper():
                first, last = _DAYS[found[1].lower()], _DAYS[(found[2] or found[1]).lower()]
                add("weekday", (day % 7 for day in range(first, last + (7 if last < first else 0) + 1)))
    for word in words(text):
        axis, values = _OF_WORDS.get(word.text.lower(), ("", frozenset()))
        if values and (axis != "hour" or "clock" not in said):
            add(axis, values)
    if not letters.isdisjoint(_CHOICES["nearness"]):
        for found in _NEAR.finditer(lowered):
            add("nearness", (_CHOICES["nearness"][found[1]],))
    if not letters.isdisjoint(("until", "till", "up")) and _UNTIL.search(lowered):
        add("relation", (1,))
    if has_digit:
        for found in _WEEK.finditer(lowered):
            add("week", (int(found[1]),))
    if has_digit or not letters.isdisjoint(_ORDINALS):
        for found in _ORDINAL_ALONE.finditer(lowered):
            if not _ENDS_IN_MONTH.search(lowered[: found.start()]):
                is_day = found[1][0].isdigit() and _BEHIND_DAY.match(lowered, found.end())
                add("monthday" if is_day else "ordinal", (_ordinal(found[1]),))
    if not letters.isdisjoint(_NUMBERED):
        for found in _NUMBERED_ONE.finditer(lowered):
            add("ordinal", (_ROMAN.get(found[1]) or int(found[1]),))
    if _PAST.search(lowered):
        add("tense", (1,))
    elif says_now(text):
        add("tense", (2,))
    if "exact year" in said:
        said["year"] = said.pop("exact year")
    return MappingProxyType({axis: frozenset(values) for axis, values in said.items() if values})


_WEEKDAYS = re.compile(rf"\b({WEEKDAY})\b\.?(?:(?: to | through | until |-| - )({WEEKDAY})\b)?", re.IGNORECASE)
_NEAR = re.compile(rf"\b(last|this|next|previous|past|coming) (?:{_UNIT})\b")
_UNTIL = re.compile(r"\b(?:until|till|up to) (?:the|our|my|his|her|their|then)\b")
_WEEK = re.compile(r"\b(?:week|wk|kw)\.? ?(\d{1,2})\b")
_ORDINAL_ALONE = re.compile(rf"\b({_ORDINAL})\b(?! (?:of )?(?:{MONTH})\b)")
_ENDS_IN_MONTH = re.compile(rf"\b(?:{MONTH})\.? (?:the )?$")
_NUMBERED_ONE = re.compile(rf"\b(?:{'|'.join(_NUMBERED)}) (\d|i{{1,3}}|iv|vi?)\b")


def _read_years(text: str, letters: frozenset[str], has_digit: bool, add: Add) -> None:
    if not letters.isdisjoint(_DECADES):
        for found in _DECADE.finditer(text):
            add("year", range(_DECADES[found[1]], _DECADES[found[1]] + 10))
    if not has_digit:
        return
    for found in _TWO_YEARS.finditer(text):
        first, last = int(found[1]), int(found[1][: 4 - len(found[2])] + found[2])
        if last == first + 1:
            add("season", (first,))
        elif first < last < first + 30 and len(found[2]) == 4:
            add("year", range(first, last + 1))
    for found in _YEAR_ENDED.finditer(text):
        add("season", (int(found[1]) - 1,))
    for found in _ONE_YEAR.finditer(text):
        add("year", (int(found[1] or "20" + (found[2] or found[3])),))
    for found in _SPAN_OF_YEARS.finditer(text):
        year, last = int(found[3]), int(found[4] or 0)
        if found[1] and (last or found[1] != "from"):
            add("year", range(year, (last or year + _LONG) + 1))
        elif found[2] and not _FROM_YEAR.search(text[: found.start()]):
            add("year", range(year - _LONG, year + (found[2] != "before")))
    for found in _YEARS_AWAY.finditer(text):
        many = 1 if found[1] in (None, "a", "an") else _number(found[1])
        add("exact year", (int(found[3]) + (many if found[2] in ("after", "later than") else -many),))
    for found in _BETWEEN_YEARS.finditer(text):
        add("year", range(int(found[1]), int(found[2]) + 1))
    for found in _DECADE_IN_DIGITS.finditer(text):
        add("year", range(int(found[1]), int(found[1]) + 10))


_YEAR = r"((?:19|20)\d\d)"
_TWO_YEARS = re.compile(r"(?<![\d/.-])((?:19|20)\d\d)[/-]((?:19|20)?\d\d)\b(?!-)")
_YEAR_ENDED = re.compile(rf"\b(?:end(?:ed|ing|s)?|closed) (?:in|on) (?:\w+ )?(?:(?:{MONTH}) )?{_YEAR}\b")
_ONE_YEAR = re.compile(rf"(?<!\bbefore )(?<![/\d.]){_YEAR}(?![/\d]|-\d\d\b(?!-))|'(\d\d)\b|\bfy ?(\d\d)\b")
_SPAN_OF_YEARS = re.compile(
    rf"\b(?:(from|since|after)|(before|until|till|up to)) {_YEAR}\b(?!-)(?: (?:to|until|till|-) {_YEAR})?"
)
_FROM_YEAR = re.compile(r"\bfrom (?:19|20)\d\d $")
_YEARS_AWAY = re.compile(
    rf"\b(?:the year|(an?|one|two|three|four|five|\d) years?) (before|after|earlier than|later than) {_YEAR}\b"
)
_BETWEEN_YEARS = re.compile(rf"\bbetween {_YEAR} and {_YEAR}\b")
_DECADE_IN_DIGITS = re.compile(r"\b((?:19|20)\d0)s\b")


def _read_dates(lowered: str, letters: frozenset[str], add: Add) -> None:
    """Dates and spans of days that are written with digits."""
    for found in _ISO_DATE.finditer(lowered):
        add("year", (int(found[1]),))
        add("month", (int(found[2]),))
        if found[3]:
            add("day", (int(found[2]) * 100 + int(found[3]),))
    if not letters.isdisjoint(_MONTHS):
        for found in _SPAN_OF_DAYS.finditer(lowered):
            month, first, last = _MONTHS[found[3] or found[4]], int(found[1] or found[5]), int(found[2] or found[6])
            add("day", (month * 100 + of_month for of_month in range(first, min(last, 31) + 1)))
    for found in _DATE_IN_DIGITS.finditer(lowered):
        one, other = int(found[1]), int(found[3])
        dates = [(one, other)] if found[2] == "." else [(one, other), (other, one)]
        dates = [(of_month, month) for of_month, month in dates if 0 < month < 13 and 0 < of_month < 32]
        is_full = len(found[1]) == len(found[3]) == 2 and found[2] == lowered[found.end() : found.end() + 1] == "."
        if dates and (found[4] or is_full):
            add("month", (month for _, month in dates))
            add("day", (month * 100 + of_month for of_month, month in dates))
            add("year", (int(found[4]) % 2000 + 2000 if len(found[4]) == 2 else int(found[4]),) if found[4] else ())


_DAYS_TO = r"(\d{1,2})(?:st|nd|rd|th)?(?: ?- ?| to | until | till | through )(\d{1,2})(?:st|nd|rd|th)?"
_ISO_DATE = re.compile(r"\b((?:19|20)\d\d)-(0[1-9]|1[0-2])(?:-(\d\d))?\b")
_SPAN_OF_DAYS = re.compile(rf"\b{_DAYS_TO} ({MONTH})\b|\b({MONTH})\.? {_DAYS_TO}\b(?!:)")
_DATE_IN_DIGITS = re.compile(r"(?<![\d./-])(\d{1,2})([./])(\d{1,2})\2((?:19|20)?\d\d)?(?![\d/]|\.\d)")


def _read_months(text: str, lowered: str, letters: frozenset[str], has_digit: bool, add: Add) -> None:
    if has_digit:
        _read_dates(lowered, letters, add)
    if not letters.isdisjoint(_MONTHS):
        _read_named_months(text, lowered, add)
    if has_digit or "quarter" in letters:
        for found in _QUARTER.finditer(lowered):
            number = (_MONTHS[found[3]] + 2) // 3 if found[3] else int(found[1] or 0) or _ordinal(found[2])
            add("month", range(3 * number - 2, 3 * number + 1) if number < 5 else ())
    if has_digit or "half" in letters:
        for found in _HALF.finditer(lowered):
            number = int(found[1] or 0) or _ordinal(found[2])
            add("month", range(6 * number - 5, 6 * number + 1) if number < 3 else ())
    if "year" in lowered:
        if _MID_YEAR.search(lowered):
            add("month", (6, 7))
        if _YEAR_END.search(lowered):
            add("month", (12,))


def _read_named_months(text: str, lowered: str, add: Add) -> None:
    for found in _DAY_OF_MONTH.finditer(lowered):
        month, of_month = _MONTHS[found[2] or found[3]], found[1] or found[4]
        add("month", (month,))
        add("day", (month * 100 + (int(of_month) if of_month.isdigit() else _ordinal(of_month)),))
    for found in _SPAN_OF_MONTHS.finditer(text):
        if found[1][0].isupper():
            first, last = _MONTHS[found[1].lower()], _MONTHS[(found[2] or found[1]).lower()]
            add("month", ((month - 1) % 12 + 1 for month in range(first, last + (12 if last < first else 0) + 1)))
    for found in _OPEN_MONTHS.finditer(lowered):
        month = _MONTHS[found[2]]
        if found[1] in ("before", "up to"):
            add("month", range(1, month))
        elif found[1] in ("until", "till", "through") and not _FROM_MONTH.search(lowered[: found.start()]):
            add("month", range(1, month + 1))
        elif found[1] == "after" or found[3]:
            add("month", range(month + (found[1] == "after"), 13))


_DAY_NUMBER = rf"({_ORDINAL}|\d{{1,2}})"
_DAY_OF_MONTH = re.compile(rf"\b{_DAY_NUMBER}(?: of)? ({MONTH})\b|\b({MONTH})\.? (?:the )?{_DAY_NUMBER}\b(?!:)")
_SPAN_OF_MONTHS = re.compile(
    rf"(?<!\bbefore )\b({MONTH})\b\.?(?:'?\d\d)?"
    rf"(?:(?: to | through | until | till | and |-| - )({MONTH})\b)?",
    re.IGNORECASE,
)
_OPEN_MONTHS = re.compile(
    r"\b(until|till|through|before|up to|after|from|since) (?:the )?(?:end of |\d{1,2}(?:st|nd|rd|th)? )?"
    rf"({MONTH})\b(?: (on|onwards?)\b)?"
)
_FROM_MONTH = re.compile(rf"\b(?:from|{MONTH}) \w* ?$")
_QUARTER = re.compile(
    rf"\bq([1-4])\b|\b({_ORDINAL})[ -]quarter\b|\bquarter (?:that )?(?:end(?:ing|ed|s)) in ({MONTH})\b"
)
_HALF = re.compile(rf"\bh([12])\b|\b({_ORDINAL})[ -]half\b(?! of (?:the|each|every) (?:month|week|term|day))")
_MID_YEAR = re.compile(r"\bmid-?year\b|half-?way through the year")
_YEAR_END = re.compile(r"\byear-?'?s?-? ?end\b|\bend of the year\b")


def _read_clock(text: str, letters: frozenset[str], has_digit: bool, add: Add) -> None:
    if has_digit:
        for found in _CLOCK.finditer(text):
            hour, minute = int(found[1]), int(found[3])
            is_clock = found[2] == ":" or found[4] or _BEFORE_CLOCK.search(text[: found.start()])
            if is_clock and hour < 25 and minute < 60:
                hour = hour % 12 + 12 if found[4] == "p" else hour % 24
                add("hour", (hour,))
                add("clock", (hour * 100 + minute,))
        if not letters.isdisjoint(_DAYS):
            for found in _HOURS_OF_DAY.finditer(text):
                if int(found[1]) < int(found[2]) < 25:
                    add("hour", range(int(found[1]), int(found[2])))
    elif letters.isdisjoint(_NUMBERS):
        return
    for found in _HALF_DAY.finditer(text):
        hour = _number(found[1]) % 12 + (12 if found[2] == "p" else 0)
        add("hour", (hour,))
        add("clock", (hour * 100,))
    for found in _MINUTES_PAST.finditer(text):
        minute, hour = _number(found[1]), _number(found[3])
        if 0 < hour <= 12 and 0 < minute < 60 and found[2] != "after":
            hour, minute = (hour, minute) if found[2] == "past" else (hour - 1, 60 - minute)
            add("hour", (hour % 24, (hour + 12) % 24))
            add("clock", (hour * 100 + minute, (hour + 12) % 24 * 100 + minute))
    for found in _SPOKEN_HOUR.finditer(text):
        add("hour", (_NUMBERS[found[1]] % 24, (_NUMBERS[found[1]] + 12) % 24))
    for found in _O_CLOCK.finditer(text):
        add("hour", (_number(found[1]) % 24, (_number(found[1]) + 12) % 24))


_CLOCK = re.compile(r"(?<![\d.,:-])(\d{1,2})([:.])(\d\d)\b(?![.:-]?\d)(?: ?([ap])\.?m\b)?")
_BEFORE_CLOCK = re.compile(r"\b(?:at|from|until|till|by|before|after|around|the) $")
_HOURS_OF_DAY = re.compile(rf"\b(?:{WEEKDAY})\.?,? (\d{{1,2}}) ?(?:-|to) ?(\d{{1,2}})\b(?![.:/-]?\d)")
_HALF_DAY = re.compile(rf"\b({_NUMBER}) ?([ap])\.?m\b")
_MINUTES_PAST = re.compile(rf"\b({_NUMBER})[ -](past|to|after)[ -]({_NUMBER})\b")
_SPOKEN_HOUR = re.compile(
    rf"\b(?:at|until|till|by|from|before|after|around) ({'|'.join(list(_NUMBERS)[1:13])})\b"
    r"(?=[,.;]|$| (?:in the|on|every|sharp|to|and)\b)"
)
_O_CLOCK = re.compile(rf"\b({_NUMBER}) o'? ?clock\b")


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word]


def _ordinal(word: str) -> int:
    return _ORDINALS.get(word) or int(word[:-2])


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
    """Whether a text says that it holds at present."""
    return _NOW.search(text) is not None
