"""What a text says about time, in comparable keys: months, quarters, halves, years, hours, parts of the day."""

import functools
import re

from lethe.hooks.rules.lists import listed
from lethe.hooks.rules.words import words

_MONTHS = {
    name: number + 1
    for number, names in enumerate(
        [
            "jan january",
            "feb february",
            "mar march",
            "apr april",
            "may",
            "jun june",
            "jul july",
            "aug august",
            "sep sept september",
            "oct october",
            "nov november",
            "dec december",
        ]
    )
    for name in names.split()
}
_NUMBERS = {
    word: number
    for number, word in enumerate(listed("zero one two three four five six seven eight nine ten eleven twelve"))
}
_ORDINALS = {
    word: number + 1
    for number, word in enumerate(listed("first second third fourth fifth sixth seventh eighth ninth tenth"))
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_PARTS = {
    "morning": "morning breakfast dawn early earlies sunrise am a.m",
    "noon": "noon midday lunch lunchtime",
    "evening": "evening dinner supper dusk tonight sunset bedtime late lates",
    "night": "night nights midnight nightly overnight",
    "weekday": "weekday weekdays workday workdays",
    "weekend": "weekend weekends",
    "winter": "winter wintertime",
    "summer": "summer summertime",
    "autumn": "autumn fall",
    "spring": "spring springtime",
}
_PART_OF = {word: part for part, names in _PARTS.items() for word in names.split()}
_DAYS = {
    f"{day}{ending}": day[:3]
    for day in listed("monday tuesday wednesday thursday friday saturday sunday")
    for ending in ("", "s")
}
_DAYS |= {day: day for day in listed("mon tue wed thu fri sat sun")} | {"thurs": "thu", "tues": "tue"}


@functools.lru_cache(maxsize=4096)
def time_keys(text: str) -> frozenset[str]:
    """Keys "kind:value" of a cleaned text; two texts with different values of one kind speak of different times."""
    keys: set[str] = set()
    lowered = text.lower()
    for found in re.finditer(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b", lowered):
        keys |= {f"year:{found[1]}", f"month:{int(found[2])}"} | (
            {f"day:{int(found[2])}-{int(found[3])}"} if found[3] else set()
        )
    for found in re.finditer(
        rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b|\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)",
        lowered,
    ):
        month = _MONTHS[found[2] or found[3]]
        keys |= {f"month:{month}", f"day:{month}-{int(found[1] or found[4])}"}
    for found in re.finditer(rf"\b({_MONTH})\b", text, re.IGNORECASE):
        if found[1][0].isupper():
            keys.add(f"month:{_MONTHS[found[1].lower()]}")
    for found in re.finditer(r"\b(?:19|20)(\d\d)[/-](?:(?:19|20))?(\d\d)\b(?!-)", lowered):
        if int(found[2]) == int(found[1]) + 1:
            keys.add(f"season:{found[1]}/{found[2]}")
    for found in re.finditer(
        rf"\b(?:end(?:ed|ing|s)?|closed) (?:in|on) (?:\w+ )?(?:(?:{_MONTH}) )?(?:19|20)(\d\d)\b", lowered
    ):
        keys.add(f"season:{int(found[1]) - 1:02d}/{found[1]}")
    for found in re.finditer(r"(?<![/\d-])((?:19|20)\d\d)(?![/\d])|'(\d\d)\b", lowered):
        keys.add(f"year:{found[1] or '20' + found[2]}")
    _add_spans(keys, lowered)
    _add_hours(keys, lowered)
    for word in words(text):
        plain = word.text.lower()
        if plain in _PART_OF:
            keys.add(f"part:{_PART_OF[plain]}")
        if plain in _DAYS and word.is_capital:
            keys.add(f"weekday:{_DAYS[plain]}")
        if plain in ("even", "odd"):
            keys.add(f"parity:{plain}")
        if plain in _ORDINALS or re.fullmatch(r"\d(?:st|nd|rd|th)", plain):
            keys.add(f"ordinal:{_ORDINALS.get(plain, plain[0])}")
    return frozenset(keys)


def _add_spans(keys: set[str], text: str) -> None:
    for found in re.finditer(r"\bq([1-4])\b|\b(first|second|third|fourth|[1-4](?:st|nd|rd|th)) quarter\b", text):
        keys.add(f"quarter:{found[1] or _ORDINALS.get(found[2], found[2][0])}")
    for found in re.finditer(r"\bh([12])\b|\b(first|second) half\b", text):
        keys.add(f"half:{found[1] or _ORDINALS[found[2]]}")
    for found in re.finditer(rf"\b({_MONTH})(?:'?\d\d)? (?:to|through|until|and|-) ({_MONTH})\b", text):
        first, last = _MONTHS[found[1]], _MONTHS[found[2]]
        if (last - first) % 12 == 2 and first % 3 == 1:
            keys.add(f"quarter:{first // 3 + 1}")
        if (last - first) % 12 == 5 and first in (1, 7):
            keys.add(f"half:{1 if first == 1 else 2}")
    for found in re.finditer(rf"\bquarter (?:that )?(?:end(?:ing|ed|s)) in ({_MONTH})\b", text):
        keys.add(f"quarter:{(_MONTHS[found[1]] + 2) // 3}")
    if re.search(r"\bmid-?year\b|half-?way through the year", text):
        keys.add("point:mid-year")
    if re.search(r"\byear-?'?s?-? ?end\b|\bend of the year\b", text):
        keys.add("point:year-end")


def _add_hours(keys: set[str], text: str) -> None:
    for found in re.finditer(r"\b(\d{1,2})[:.](\d\d)\b(?: ?([ap])\.?m)?", text):
        hour = int(found[1])
        if hour < 25 and int(found[2]) < 60:
            hour = hour % 12 + 12 if found[3] == "p" else hour
            keys |= {f"clock:{hour:02d}{found[2]}", *_part_of_hour(hour)}
    for found in re.finditer(r"\b(\d{1,2}|" + "|".join(_NUMBERS) + r") ?([ap])\.?m\b", text):
        hour = int(found[1]) if found[1].isdigit() else _NUMBERS[found[1]]
        hour = hour % 12 + (12 if found[2] == "p" else 0)
        keys |= {f"clock:{hour:02d}00", *_part_of_hour(hour)}


def _part_of_hour(hour: int) -> set[str]:
    if 4 <= hour < 11:
        return {"part:morning"}
    if 17 <= hour < 21:
        return {"part:evening"}
    return {"part:evening", "part:night"} if hour >= 20 or hour < 4 else set()


def agreement(one: frozenset[str], other: frozenset[str]) -> tuple[int, int]:
    """(kinds of time that both texts have in common, kinds in which they differ)."""
    kinds = {key.partition(":")[0] for key in one} & {key.partition(":")[0] for key in other}
    agree = sum(any(key in other for key in one if key.startswith(kind + ":")) for kind in kinds)
    return agree, len(kinds) - agree
