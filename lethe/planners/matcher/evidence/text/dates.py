"""Dates with their year, in any notation."""

import datetime
import re
from collections.abc import Iterator

from lethe.planners.matcher.evidence.identity.typed_identifier import Identifier
from lethe.planners.matcher.evidence.tables import table
from lethe.planners.matcher.evidence.text.lists import listed

_MONTHS = {name: number + 1 for number, names in enumerate(table("dates", "months")) for name in names.split()}
_ROMAN = {name: number + 1 for number, name in enumerate(listed("i ii iii iv v vi vii viii ix x xi xii"))}
_DATES = (
    re.compile(r"(?<![\w-])(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\w|-\d|(?<=\d)T\D)(?!-\d)"),
    re.compile(r"(?<![\w-])(?P<y>\d{4})-?(?P<m>\d{2})-?(?P<d>\d{2})(?=T\d\d)"),
    re.compile(r"(?<!\w)(?P<y>\d{4})-?W(?P<week>\d\d)-?(?P<d>[1-7])(?!\w)"),
    re.compile(r"(?<!\w)(?P<d>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?P<m>[a-z]{3,9})\.?,? (?P<y>\d{4})(?!\w)", re.I),
    re.compile(r"(?<!\w)(?P<m>[a-z]{3,9})\.? (?P<d>\d{1,2})(?:st|nd|rd|th)?,? (?P<y>\d{4})(?!\w)", re.I),
    re.compile(r"(?<!\w)(?P<d>\d{1,2})[-/. ]{1,2}(?P<m>[ivx]{1,4}|[a-z]{3,9})[-/. ]{1,2}(?P<y>\d{4})(?!\w)", re.I),
    re.compile(r"(?<![\w.-])(?P<d>\d{1,2})\. ?(?P<m>\d{1,2})\. ?(?P<y>\d{4})(?!\w)"),
    re.compile(r"(?<![\w/-])(?P<a>\d{1,2})[/-](?P<b>\d{1,2})[/-](?P<y>\d{4})(?![\w/])"),
    re.compile(r"(?<!\w)(?P<y>(?:19|20)\d{2})(?P<m>0[1-9]|1[0-2])(?P<d>[0-2]\d|3[01])(?!\w)"),
    re.compile(r"(?<![\w/-])(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d{2})(?![\w/])"),
    re.compile(r"(?<![\w.-])(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>[0-4]\d)(?![\w]|\.\d)"),
    re.compile(r"(?<!\w)(?P<d>\d{1,2})(?:st|nd|rd|th)?[ -](?P<m>[a-z]{3,9})[ -]'?(?P<y>[0-4]\d)(?![\w:])", re.I),
)


def dates(text: str) -> Iterator[Identifier]:
    """Dates in any notation, "2025-03-04"; one that can be read in two ways has both forms."""
    for pattern in _DATES:
        for found in pattern.finditer(text):
            parts = found.groupdict()
            if "week" in parts:
                forms = _week_day(int(parts["y"]), int(parts["week"]), int(parts["d"]))
            else:
                orders = (("a", "b"), ("b", "a")) if "a" in parts else (("d", "m"),)
                pairs = [(parts[day], parts[month]) for day, month in orders]
                forms = {date for day, month in pairs if (date := _date(parts["y"], month, day))}
            if forms:
                yield Identifier("date", frozenset(forms), found.start(), found.end())


def _week_day(year: int, week: int, day: int) -> set[str]:
    try:
        return {datetime.date.fromisocalendar(year, week, day).isoformat()}
    except ValueError:
        return set()


def _date(year: str, month: str, day: str) -> str | None:
    name = month.casefold()
    number = int(month) if month.isdigit() else _MONTHS.get(name) or _ROMAN.get(name)
    try:
        century = 2000 if len(year) == 2 else 0
        return None if number is None else datetime.date(century + int(year), number, int(day)).isoformat()
    except ValueError:
        return None
