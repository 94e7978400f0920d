"""Coordinates, and colours."""

import colorsys
import re
from collections.abc import Iterator

from lethe.planners.matcher.evidence.identity.typed_identifier import Identifier

_BEFORE = r"(?:(?P<{0}_before>\b[{1}]|\b{2}(?:itude)?)\.?\s?[:=]?\s?)?"
_DEGREES = (
    r"(?P<{0}>[+-]?\d{{1,3}}(?:\.\d+)?)\s?(?:°|º|\bdeg(?:rees)?\b)\s?(?:(?P<{0}_minutes>\d{{1,2}}(?:\.\d+)?)\s?"
    r"(?:['′]|min\b)\s?)?(?:(?P<{0}_seconds>\d{{1,2}}(?:\.\d+)?)\s?(?:\"|″|''|sec\b)\s?)?(?P<{0}_side>[{1}](?!\w))?"
)
_DECIMAL = (
    r"(?P<{0}>(?<![\w.])[+-]?\d{{1,3}}\.\d{{3,}})(?P<{0}_minutes>)?(?P<{0}_seconds>)?\s?(?P<{0}_side>[{1}](?!\w))?"
)
_PLACES = tuple(
    re.compile(
        _BEFORE.format("north", "NS", "lat")
        + axis.format("north", "NS")
        + r"\s?(?:[,;/]|(?<=\S)\s)\s?"
        + _BEFORE.format("east", "EWO", "lon(?:g)?")
        + axis.format("east", "EWO")
        + r"(?!\w)"
    )
    for axis in (_DEGREES, _DECIMAL)
)
_COLOUR = re.compile(
    r"(?:(?<!\w)#|\b(?:hex|colou?r)(?: code)?:? )([0-9a-f]{6}|(?:[0-9a-f]{2} ){2}[0-9a-f]{2}|(?=\d*[a-f])[0-9a-f]{3})"
    r"(?!\w)|(?<!\w)((?:[0-9a-f]{2} ?){3})(?= \(hex\))"
    r"|\brgba?\b[:( ]+(\d{1,3})\s*[,/ ]\s*(\d{1,3})\s*[,/ ]\s*(\d{1,3})(?!\w)"
    r"|\bhsl\b[:( ]+(\d{1,3})°?\s*[,/ ]\s*(\d{1,3})%\s*[,/ ]\s*(\d{1,3})%",
    re.IGNORECASE,
)


def places(text: str) -> Iterator[Identifier]:
    """Positions as "63.412500 10.375000 0.000060": degrees north and east, and their accuracy in degrees."""
    for pattern in _PLACES:
        for found in pattern.finditer(text):
            (north, one), (east, other) = (_degrees(found, axis) for axis in ("north", "east"))
            if abs(north) <= 90 and abs(east) <= 180:
                form = f"{north:.6f} {east:.6f} {max(one, other):.6f}"
                yield Identifier("place", frozenset({form}), found.start(), found.end())


def _degrees(found: "re.Match[str]", axis: str) -> tuple[float, float]:
    """Degrees along an axis, and their accuracy: half the last digit given.

    It is a little more than half, for who cuts instead of rounding.
    """
    value, last = 0.0, 1.0
    for unit, part in enumerate((found[axis], found[f"{axis}_minutes"], found[f"{axis}_seconds"])):
        if part:
            value += abs(float(part)) / 60**unit
            last = 10.0 ** -len(part.partition(".")[2]) / 60**unit
    side = (found[f"{axis}_side"] or found[f"{axis}_before"] or "").upper()
    return (-value if found[axis].startswith("-") or side in ("S", "W") else value), 0.6 * last


def colours(text: str) -> Iterator[Identifier]:
    """Colours as six hexadecimal digits."""
    for found in _COLOUR.finditer(text):
        if written := found[1] or found[2]:
            form = written.replace(" ", "").casefold()
            form = "".join(letter * 2 for letter in form) if len(form) == 3 else form
        elif found[3]:
            form = "".join(f"{min(255, int(part)):02x}" for part in found.group(3, 4, 5))
        else:
            hue, saturation, lightness = (int(part) for part in found.group(6, 7, 8))
            parts = colorsys.hls_to_rgb(hue / 360, lightness / 100, saturation / 100)
            form = "".join(f"{round(255 * part):02x}" for part in parts)
        yield Identifier("colour", frozenset({form}), found.start(), found.end())
