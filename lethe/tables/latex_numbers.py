"""The numbers of a column aligned at the point: each padded to the widest by what is as wide and not printed.

So they align in every TeX installation, and in cells of several numbers too, such as 22 (61) and 46 [42, 51].
"""

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from lethe.tables.latex_text import escape_latex
from lethe.tables.table import Cell

_NUMBER = re.compile(r"([+−<]?)(\d+)((?:\.\d+)?)")


class _Number(NamedTuple):
    sign: str
    whole: str
    part: str


class _Shape(NamedTuple):
    """A text taken apart: what stands between its numbers, one text more than there are numbers."""

    between: Sequence[str]
    numbers: Sequence[_Number]


def align(column: Sequence[Cell]) -> list[str]:
    """The cells of a column as LaTeX source, those of the shape of the fullest one padded to one width."""
    shapes, fullest, widest = _measure(column)
    return [
        _padded(shape, fullest, widest, bold=cell.bold) if _begins(shape, fullest) else escape_latex(cell.text)
        for cell, shape in zip(column, shapes, strict=True)
    ]


def widest_texts(column: Sequence[Cell]) -> list[str]:
    """Texts of which one is as wide as the column that `align` makes."""
    shapes, fullest, widest = _measure(column)
    padded = fullest.between[0] + "".join(
        f"{''.join(number)}{between}" for number, between in zip(widest, fullest.between[1:], strict=False)
    )
    return [padded, *(cell.text for cell, shape in zip(column, shapes, strict=True) if not _begins(shape, fullest))]


def _measure(column: Sequence[Cell]) -> tuple[list[_Shape], _Shape, list[_Number]]:
    """The shape of each cell, the fullest, and the widest number at each of its places."""
    shapes = [_shape(cell.text) for cell in column]
    fullest = max(shapes, key=lambda shape: len(shape.numbers), default=_Shape([""], []))
    by_place = zip_longest(*(shape.numbers for shape in shapes if _begins(shape, fullest)))
    widest = [
        _Number(*(max(fields, key=len) for fields in zip(*filter(None, place), strict=True))) for place in by_place
    ]
    return shapes, fullest, widest


def _shape(text: str) -> _Shape:
    numbers = [_Number(*found.groups()) for found in _NUMBER.finditer(text)]
    parts = _NUMBER.sub("\0", text).split("\0")
    return _Shape(parts, numbers)


def _begins(shape: _Shape, fullest: _Shape) -> bool:
    """Whether a text has the fullest one's shape, or that of its beginning."""
    if not shape.numbers:
        return False
    places = len(shape.numbers)
    *inner, last = shape.between
    return list(inner) == list(fullest.between[:places]) and fullest.between[places].startswith(last)


def _padded(shape: _Shape, fullest: _Shape, widest: Sequence[_Number], *, bold: bool) -> str:
    """A text with what it lacks to the widest; in bold, its value alone and no interval after it."""
    parts = ["", ""]
    for between, number, wide in zip(shape.between, shape.numbers, widest, strict=False):
        sign = "" if number.sign else wide.sign
        before = _phantom(sign + "0" * (len(wide.whole) - len(number.whole)))
        after = _phantom(wide.part if not number.part else "0" * (len(wide.part) - len(number.part)))
        after_value = bool(parts[1]) or "[" in between
        parts[after_value] += f"{escape_latex(between)}{before}{escape_latex(''.join(number))}{after}"
    last, places = shape.between[-1], len(shape.numbers)
    parts[bool(parts[1])] += escape_latex(last)
    rest = fullest.between[places][len(last) :]
    for number, between in zip(widest[places:], fullest.between[places + 1 :], strict=True):
        rest += f"{''.join(number)}{between}"
    value = rf"\textbf{{{parts[0]}}}" if bold else parts[0]
    return value + parts[1] + _phantom(rest)


def _phantom(text: str) -> str:
    return rf"\phantom{{{escape_latex(text)}}}" if text else ""
