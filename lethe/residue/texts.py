"""A marker in bytes: in every text encoding, in further forms of these bytes, and under any constant shift of them.

A marker is random, so that half of it is found nowhere by chance. Each half is looked for on its own, because a file
may hold a text in two pieces (a page and its overflow page), or a token without what it shares with the one before it.
"""

import base64
import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

_ALIGNMENTS = range(3)
_BESIDE = 8
"""Signs on a side of the marker that show its sentence."""


@dataclass(frozen=True, slots=True)
class TextFound:
    """A half of a marker at a place: the form that it has there, and its bytes."""

    form: str
    offset: int
    content: bytes


def find_marker(data: bytes, marker: str) -> list[TextFound]:
    """Every form in which `data` holds a half of `marker`, with each place in the plain ones and one in any other."""
    halves = _halves(marker)
    return _find(data, halves) + list(_apart(data, halves))


def sentence_forms(data: bytes, sentence: str, marker: str) -> list[str]:
    """Every form in which `data` holds a half of `marker` with the words beside it in `sentence`."""
    before, _, after = sentence.partition(marker)
    first, second = _halves(marker)
    sides = ((before[-_BESIDE:], f"{before[-_BESIDE:]}{first}"), (after[:_BESIDE], f"{second}{after[:_BESIDE]}"))
    pieces = [piece for words, piece in sides if any(map(str.isalpha, words))]
    return list(dict.fromkeys(found.form for found in _find(data, (*pieces, *map(str.lower, pieces)))))


def covered_forms() -> list[str]:
    """Names of every form that is looked for."""
    return [*_FORMS, *_SHIFTS, _APART]


def _find(data: bytes, pieces: tuple[str, ...]) -> list[TextFound]:
    # No form of a piece is shorter than it.
    if len(data) < min(map(len, pieces), default=0):
        return []
    found = [
        one for form, needles in _needles(pieces).items() for needle in needles for one in _all(data, form, needle)
    ]
    return found + list(_shifted(data, pieces))


def _halves(marker: str) -> tuple[str, str]:
    middle = len(marker) // 2
    return marker[:middle], marker[middle:]


def _base64(half: str) -> list[bytes]:
    """What base64 makes of bytes that begin at any place of its groups of three, without the ends that depend on
    others."""
    encoded = []
    for alignment in _ALIGNMENTS:
        whole = base64.b64encode(bytes(alignment) + half.encode()).rstrip(b"=")
        start = -(-alignment * 4 // 3)
        encoded.append(whole[start : len(whole) - bool((alignment + len(half)) % 3)])
    return encoded


def _each_byte(change: Callable[[int], int]) -> Callable[[str], list[bytes]]:
    return lambda half: [bytes(map(change, half.encode()))]


def _encoded(encoding: str) -> Callable[[str], list[bytes]]:
    return lambda half: [half.encode(encoding)]


_FORMS: dict[str, Callable[[str], list[bytes]]] = {
    "UTF-8": _encoded("utf-8"),
    "UTF-8, capitals": lambda half: [half.upper().encode()],
    "UTF-16": lambda half: [half.encode("utf-16-le"), half.encode("utf-16-be")],
    "UTF-32": lambda half: [half.encode("utf-32-le"), half.encode("utf-32-be")],
    "JSON escapes": lambda half: [
        "".join(form.format(ord(sign)) for sign in half).encode() for form in ("\\u{:04x}", "\\u{:04X}")
    ],
    "hexadecimal": lambda half: [half.encode().hex().encode(), half.encode().hex().upper().encode()],
    "base64": _base64,
    "reversed": lambda half: [half[::-1].encode()],
    "ROT13": lambda half: [codecs.encode(half, "rot13").encode()],
    "bits of each byte reversed": _each_byte(lambda byte: int(f"{byte:08b}"[::-1], 2)),
    "halves of each byte swapped": _each_byte(lambda byte: byte >> 4 | (byte & 15) << 4),
}
"""Each form with what it makes of a half of the marker; several where it can be any of them."""
_SHIFTS = {"each byte XORed": np.bitwise_xor, "each byte shifted": np.subtract}
"""Forms with a constant that may be any of 255, and what leaves the differences of neighbouring bytes as they were."""
_APART = "signs apart, or mixed in case"
_BETWEEN = rb"[^a-z0-9\0]{0,8}"
"""What may stand between two signs: a break, a character that shows nothing, what separates the items of a list. Zeros
are of UTF-16 and UTF-32."""
_PLAIN = ("UTF-8", "UTF-8, capitals", "UTF-16")


@lru_cache(maxsize=8)
def _needles(pieces: tuple[str, ...]) -> dict[str, list[bytes]]:
    return {form: [needle for piece in pieces for needle in make(piece)] for form, make in _FORMS.items()}


def _all(data: bytes, form: str, needle: bytes) -> Iterator[TextFound]:
    at = data.find(needle)
    while at >= 0:
        yield TextFound(form, at, needle)
        if form not in _PLAIN:
            return
        at = data.find(needle, at + 1)


def _shifted(data: bytes, pieces: tuple[str, ...]) -> Iterator[TextFound]:
    signs = np.frombuffer(data, np.uint8)
    for form, difference in _SHIFTS.items():
        steps = difference(signs[1:], signs[:-1]).tobytes()
        for half in pieces:
            plain = np.frombuffer(half.encode(), np.uint8)
            wanted = difference(plain[1:], plain[:-1]).tobytes()
            # The same steps with the constant 0 are the marker itself.
            places = (match.start() for match in re.finditer(re.escape(wanted), steps))
            if (at := next((at for at in places if data[at] != plain[0]), None)) is not None:
                yield TextFound(form, at, data[at : at + len(half)])
                break


def _apart(data: bytes, pieces: tuple[str, ...]) -> Iterator[TextFound]:
    lower, plain = data.lower(), {form.encode() for half in pieces for form in (half, half.upper())}
    for half in pieces:
        wanted = re.compile(_BETWEEN.join(re.escape(sign.encode()) for sign in half.lower()))
        for match in wanted.finditer(lower):
            content = data[match.start() : match.end()]
            if content not in plain:
                yield TextFound(_APART, match.start(), content)
                break
