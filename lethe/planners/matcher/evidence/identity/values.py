"""Amounts of money, measures, times of day and days without a year, as (canonical forms, start, end)."""

import re
from collections.abc import Iterator

from lethe.planners.matcher.evidence.tables import table
from lethe.planners.matcher.evidence.text.lists import listed

Value = tuple[frozenset[str], int, int]

_CURRENCIES = {name: code for code, names in table("values", "currencies").items() for name in names.split()}
_CURRENCY = "|".join(re.escape(name) for name in sorted(_CURRENCIES, key=len, reverse=True))
_NUMBER = r"\d{1,3}(?:[., ']\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?"
_AMOUNT = re.compile(
    rf"(?<![\w.,])(?<!\w[-/](?=[A-Za-z]))(?:(?P<before>{_CURRENCY})\s?)(?P<n>{_NUMBER})\s?(?P<k>[km]\b|thousand\b|million\b)?(?![\d])"
    rf"|(?<![\w.,$€£/-])(?P<n2>{_NUMBER})\s?(?P<k2>[km]\b|thousand\b|million\b)?\s?(?P<after>{_CURRENCY})(?!\w)",
    re.IGNORECASE,
)
_UNITS: dict[str, tuple[str, float]] = table("values", "units")  # fmt: skip
_MAY_BE_CAPITALS = frozenset(listed("hz khz mhz ghz kb mb gb tb kw kv °c"))
_UNIT = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_MEASURE = re.compile(
    rf"(?<![\w.,$€£/-])(?<!(?-i:[A-Z0-9]) )(?P<n>{_NUMBER})\s?(?P<unit>{_UNIT})(?![^\W_])", re.IGNORECASE
)
_RADIX = re.compile(
    r"(?<![\w-])(?:0x(?P<hex>[0-9a-f]{1,8})(?![\w-])|(?P<hex2>\d(?=[\da-f]*[a-f])[\da-f]*)h(?![\w-])"
    r"|(?P<hex3>[\da-f]{2,8}) ?\(?hex(?:adecimal)?\b|hex(?:adecimal)? (?P<hex4>[\da-f]{2,8})(?!\w)"
    r"|(?P<dec>\d+) ?(?:decimal\b|\(dec\w*\))|decimal (?P<dec2>\d+)(?![\w.])|0b(?P<bin>[01]+)(?!\w))"
    r"(?: ?\(?hex(?:adecimal)?\b\)?)?",
    re.IGNORECASE,
)
_SCALE = {"k": 1000, "m": 1_000_000, "thousand": 1000, "million": 1_000_000}
_MONTHS = {name: number + 1 for number, name in enumerate(listed("jan feb mar apr may jun jul aug sep oct nov dec"))}
_MONTH = (
    r"(?P<m>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_DAYS = (
    re.compile(rf"(?<![\w./-])(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of)?[ -]{_MONTH}\b(?!-?\d|\.? \d{{4}})", re.I),
    re.compile(rf"(?<![\w-]){_MONTH}\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\w|[.,:]\d|,? \d{{4}})", re.I),
    re.compile(r"(?<![\w./-])(?P<d>[0-3]?\d)\.(?P<m>[01]?\d)\.(?![\w]| ?\d)"),
)
_CLOCK = re.compile(
    r"(?:(?<=\dT)|(?<![\w:.,+/-]))(?P<h>[01]?\d|2[0-4])(?:[:.h](?P<min>[0-5]\d))?(?: ?(?P<half>[ap])\.?m\b\.?|"
    r" ?(?P<oclock>o'clock|uhr)|(?= ?h\b))?(?::[0-5]\d)?(?=Z|[+]\d\d)?(?!(?-i:[A-Ya-z0-9_/-])|:\w|[.,]\d| ?[%€$])",
    re.IGNORECASE,
)
_SPOKEN = re.compile(
    r"\b(?P<part>half past|quarter past|quarter to) (?P<hour>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|"
    r"eleven|twelve)\b|\b(?P<named>noon|midday|midnight)\b",
    re.IGNORECASE,
)
_HOURS = {
    word: hour + 1 for hour, word in enumerate(listed("one two three four five six seven eight nine ten eleven twelve"))
}
_PAST = {"half past": 30, "quarter past": 15, "quarter to": -15}


def amounts(text: str) -> Iterator[Value]:
    """Amounts with their currency, "EUR 1250.00"."""
    for found in _AMOUNT.finditer(text):
        currency = _CURRENCIES[(found["before"] or found["after"]).casefold()]
        number, scale = found["n"] or found["n2"], (found["k"] or found["k2"] or "").casefold()
        value = _plain_number(number) * _SCALE.get(scale, 1)
        yield frozenset({f"{currency} {value:.2f}"}), found.start(), found.end()


def measures(text: str) -> Iterator[Value]:
    """Quantities with their unit in the base of that unit, "1.187e+08 Hz"."""
    for found in _MEASURE.finditer(text):
        if found["unit"].isupper() and found["unit"].casefold() not in _MAY_BE_CAPITALS:
            continue
        base, factor = _UNITS[found["unit"].casefold()]
        number = found["n"].replace(",", ".")
        values = {float(number)} if re.fullmatch(r"\d+(?:\.\d+)?", number) else set()
        if re.fullmatch(r"\d{1,3}(?:[., ']\d{3})+(?:[.,]\d+)?", found["n"]) or not values:
            values.add(_plain_number(found["n"]))
        yield frozenset(f"{value * factor:.9g} {base}" for value in values), found.start(), found.end()


def radix_numbers(text: str) -> Iterator[Value]:
    """Whole numbers that say in what base they are written ("0x1A4", "1A4h", "420 decimal"), "420"."""
    for found in _RADIX.finditer(text):
        form = next(form for form in found.groups() if form)
        base = 10 if found["dec"] or found["dec2"] else 2 if found["bin"] else 16
        yield frozenset({str(int(form, base))}), found.start(), found.end()


def _plain_number(number: str) -> float:
    """The value of a number whose thousands and decimals are marked by point or comma, either way."""
    fraction = re.search(r"[.,](\d{1,2})$", number)
    whole = number[: fraction.start()] if fraction else number
    return float(re.sub(r"\D", "", whole) + "." + (fraction[1] if fraction else "0"))


def days(text: str) -> Iterator[Value]:
    """Days of the year, "*-05-03"."""
    for pattern in _DAYS:
        for found in pattern.finditer(text):
            month = int(found["m"]) if found["m"].isdigit() else _MONTHS[found["m"][:3].casefold()]
            if 1 <= month <= 12 and 1 <= int(found["d"]) <= 31:
                yield frozenset({f"*-{month:02d}-{int(found['d']):02d}"}), found.start(), found.end()


def clocks(text: str) -> Iterator[Value]:
    """Times of day, "14:30"; an hour that may be before or after noon has both forms."""
    for found in _CLOCK.finditer(text):
        if not (found["min"] or found["half"] or found["oclock"]):
            continue
        if found["min"] and "." in found[0] and not found["half"] and len(found["h"]) < 2:
            continue
        yield _clock(int(found["h"]), int(found["min"] or 0), found["half"]), found.start(), found.end()
    for found in _SPOKEN.finditer(text):
        if found["named"]:
            yield frozenset({"00:00" if found["named"].lower() == "midnight" else "12:00"}), found.start(), found.end()
            continue
        hour = int(found["hour"]) if found["hour"].isdigit() else _HOURS[found["hour"].lower()]
        minutes = 60 * hour + _PAST[found["part"].lower()]
        either = _clock(minutes // 60, minutes % 60, "a") | _clock(minutes // 60, minutes % 60, "p")
        yield either | _clock(minutes // 60, minutes % 60, None), found.start(), found.end()


def _clock(hour: int, minute: int, half: str | None) -> frozenset[str]:
    if half:
        hour = hour % 12 + (12 if half.casefold() == "p" else 0)
        return frozenset({f"{hour:02d}:{minute:02d}"} | ({f"{hour % 12}:{minute:02d} pm"} if hour >= 12 else set()))
    plain = {f"{hour % 24:02d}:{minute:02d}"}
    return frozenset(plain | ({f"{hour % 12}:{minute:02d} pm"} if hour <= 12 else set()))
