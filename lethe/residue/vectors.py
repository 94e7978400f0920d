"""A vector in bytes: as numbers of 64, 32 and 16 bits in either order of bytes, codes of 8 bits, numbers with a byte
before each, and decimals; as it is, and of unit length.

A few neighbouring components in each third of the vector are looked for, because a file may hold it in pieces.
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
Numbers = NDArray[np.float64]

_WINDOW, _PARTS = 8, 3
_CODES = 32
"""Neighbouring codes that have to fit, each to within one."""
_FLOATS = {"float32": ("<f4", 3, 1e-4), "float64": ("<f8", 3, 1e-4), "float16": ("<f2", 2, 4e-3)}
"""Each kind of number, how many of its leading bytes are looked for, and what a component may be off by, as a part of
the largest one beside it."""
_BIG_ENDIAN = "big-endian "
_FEW, _SMALLEST, _LEADING = 4, 1e-3, 3
"""Neighbouring numbers that a pickle or a text has to give; of a text, the smallest, since smaller ones have an
exponent; of a packed number, how many bytes."""
_TAGGED = {
    "pickled numbers": (b"G", ">d"),
    "MessagePack": (b"\xcb", ">d"),
    "MessagePack, 32 bits": (b"\xca", ">f"),
    "CBOR": (b"\xfb", ">d"),
    "CBOR, 32 bits": (b"\xfa", ">f"),
}
"""What stands before each packed number, and its kind."""
_WRITTEN = {"decimal": "{:.12f}", "decimal with an exponent": "{:.12e}"}
_DIGITS = 4
"""How many digits of a number are looked for, the next of which a writer may have rounded."""
_BETWEEN = b".{1,40}?"
"""The other digits, and what stands before the next number."""


@dataclass(frozen=True, slots=True)
class VectorFound:
    """A part of a vector at a place: the form that it has there."""

    form: str
    offset: int


def find_vector(data: bytes, vector: Vector) -> list[VectorFound]:
    """The forms in which `data` holds a part of a vector, with a place of each."""
    if len(data) < min(len(vector), _WINDOW):
        return []
    length = float(np.linalg.norm(vector))
    plain = vector.astype(np.float64)
    versions = [plain] if abs(length - 1) < 1e-4 or not length else [plain, plain / length]
    found = {form: offset for version in versions for form, offset in _forms(data, version)}
    return [VectorFound(form, offset) for form, offset in found.items()]


def covered_forms() -> list[str]:
    """Names of every form that is looked for."""
    return [*_FLOATS, *(f"{_BIG_ENDIAN}{form}" for form in _FLOATS), "int8", *_TAGGED, *_WRITTEN]


def _forms(data: bytes, vector: Numbers) -> Iterator[tuple[str, int]]:
    yield from _floats(data, vector)
    # Read backwards, the other order of bytes is this one.
    for form, end in _floats(data[::-1], vector[::-1]):
        yield f"{_BIG_ENDIAN}{form}", len(data) - end - _WINDOW * np.dtype(_FLOATS[form][0]).itemsize
    if (offset := _codes_at(data, vector)) is not None:
        yield "int8", offset
    for form, pattern in _patterns(vector.tobytes()):
        if (match := pattern.search(data)) is not None:
            yield form, match.start()


def _floats(data: bytes, vector: Numbers) -> Iterator[tuple[str, int]]:
    for form, (kind, leading, off) in _FLOATS.items():
        for at in _windows(len(vector), _WINDOW):
            offset = _window_at(data, vector[at : at + _WINDOW], np.dtype(kind), leading, off)
            if offset is not None:
                yield form, offset
                break


def _window_at(data: bytes, window: Numbers, kind: "np.dtype[np.floating]", leading: int, off: float) -> int | None:
    """Where these numbers stand, found by the leading bytes of the one whose others are least likely to carry over into
    them."""
    size = kind.itemsize
    stored = window.astype(kind).tobytes()
    if len(stored) > len(data):
        return None
    rests = [int.from_bytes(stored[at : at + size - leading], "little") for at in range(0, len(stored), size)]
    middle = 1 << 8 * (size - leading) >> 1
    chosen = min(range(len(rests)), key=lambda place: abs(rests[place] - middle))
    end = (chosen + 1) * size
    lead, before = stored[end - leading : end], end - leading
    allowed = off * float(np.max(np.abs(window)))
    at = data.find(lead, before)
    while at >= 0:
        start = at - before
        if start + len(stored) <= len(data):
            numbers = np.frombuffer(data, kind, len(window), start).astype(np.float64)
            with np.errstate(invalid="ignore"):
                if np.all(np.abs(numbers - window) <= allowed):
                    return start
        at = data.find(lead, at + 1)
    return None


def _codes_at(data: bytes, vector: Numbers) -> int | None:
    """Where there are codes of 8 bits: of a range of 1, or of the largest component, signed or from 128 on."""
    signed = np.frombuffer(data, np.int8)
    raised = (np.frombuffer(data, np.uint8) ^ 128).view(np.int8)
    for scale in (127.0, 127.0 / float(np.max(np.abs(vector)))):
        codes = np.clip(np.round(vector * scale), -128, 127).astype(np.int64)
        for at in _windows(len(codes), _CODES):
            window = codes[at : at + _CODES]
            if np.count_nonzero(np.abs(window) > 2) <= _CODES // 4:
                continue
            for numbers in (signed, raised):
                if (offset := _near_at(numbers, window)) is not None:
                    return offset
    return None


def _near_at(numbers: NDArray[np.int8], window: NDArray[np.int64]) -> int | None:
    largest = int(np.argmax(np.abs(window)))
    wanted = int(window[largest])
    close = (numbers >= np.int8(max(wanted - 1, -128))) & (numbers <= np.int8(min(wanted + 1, 127)))
    starts = np.flatnonzero(close) - largest
    starts = starts[(starts >= 0) & (starts <= len(numbers) - len(window))]
    for place, code in enumerate(window):
        if not len(starts):
            return None
        starts = starts[np.abs(numbers[starts + place].astype(np.int64) - code) <= 1]
    return int(starts[0]) if len(starts) else None


@lru_cache(maxsize=8)
def _patterns(vector: bytes) -> list[tuple[str, re.Pattern[bytes]]]:
    """Neighbouring numbers as they are packed, each after a byte that says what it is; and their first digits, whatever
    stands between them, however long they go on."""
    numbers = np.frombuffer(vector).tolist()
    third = len(numbers) // _PARTS
    found: list[tuple[str, list[bytes], bytes]] = []
    for start in range(0, _PARTS * third, max(1, third)):
        few = numbers[start : start + _FEW]
        for form, (tag, kind) in _TAGGED.items():
            leading = [re.escape(tag + struct.pack(kind, number)[:_LEADING]) for number in few]
            found.append((form, leading, b".{%d}" % (struct.calcsize(kind) - _LEADING)))
        windows = (numbers[at : at + _FEW] for at in range(start, start + third - _FEW + 1))
        largest = max(windows, key=lambda window: min(map(abs, window)), default=[0.0])
        if min(map(abs, largest)) >= _SMALLEST:
            found += [
                (form, [_digits(each, written) for each in largest], _BETWEEN) for form, written in _WRITTEN.items()
            ]
    return [(form, re.compile(between.join(pieces), re.DOTALL)) for form, pieces, between in found]


def _digits(number: float, written: str) -> bytes:
    """A pattern of the beginning of a number as every writer of this form prints it, who rounds further behind."""
    rounded = float(f"{number:.{_DIGITS}e}")
    begins = dict.fromkeys(re.escape(_first_digits(each, written)) for each in (number, rounded))
    # Some writers leave out the zero before the point.
    return b"(?:%s)" % b"|".join(re.sub(rb"^(?:\\?-)?0(?=\\\.)", rb"\g<0>?", each) for each in begins)


def _first_digits(number: float, written: str) -> bytes:
    shown = written.format(number)
    start = next(at for at, sign in enumerate(shown) if sign in "123456789")
    return shown[: start + _DIGITS + (start < shown.index("."))].encode()


def _windows(length: int, width: int) -> list[int]:
    """Where windows begin, one in each part."""
    third = max(1, length // _PARTS)
    return sorted({min(part * third, max(0, length - width)) for part in range(_PARTS)})
