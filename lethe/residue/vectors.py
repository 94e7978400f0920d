"""A vector in bytes: as numbers of 64, 32 and 16 bits, as codes of 8 bits, as decimal text, plain and of unit length.

A few neighbouring components in each third of the vector are looked for, because a file may hold it in pieces.
"""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]

_WINDOW, _PARTS = 8, 3
_CODES = 32
"""Neighbouring codes that have to fit, each to within one."""
_FLOATS = {"float32": ("<f4", 3, 1e-4), "float64": ("<f8", 3, 1e-4), "float16": ("<f2", 2, 4e-3)}
"""Each kind of number, how many of its leading bytes are looked for, and what a component may be off by, as a part of the
largest one beside it."""
_DECIMALS, _SMALLEST = 4, 1e-3
"""Neighbouring numbers that a text has to give, and the smallest of them, since smaller ones have an exponent."""
_DIGITS = 5


def find_vector(data: bytes, vector: Vector) -> list[str]:
    """The forms in which `data` holds a part of a vector."""
    length = float(np.linalg.norm(vector))
    plain = vector.astype(np.float64)
    versions = [plain] if abs(length - 1) < 1e-4 or not length else [plain, plain / length]
    return list(dict.fromkeys(form for version in versions for form in _forms(data, version)))


def covered_forms() -> list[str]:
    """Names of every form that is looked for."""
    return [*_FLOATS, "int8", "decimal"]


def _forms(data: bytes, vector: NDArray[np.float64]) -> Iterator[str]:
    for form, (kind, leading, off) in _FLOATS.items():
        windows = (vector[at : at + _WINDOW] for at in _windows(len(vector), _WINDOW))
        if any(_has_window(data, window, np.dtype(kind), leading, off) for window in windows):
            yield form
    if _has_codes(data, vector):
        yield "int8"
    if any(pattern.search(data) for pattern in _decimal_patterns(vector)):
        yield "decimal"


def _has_window(data: bytes, window: NDArray[np.float64], kind: np.dtype[Any], leading: int, off: float) -> bool:
    """Whether these numbers stand anywhere, found by the leading bytes of the one whose others are least likely to carry
    over into them."""
    size = kind.itemsize
    stored = window.astype(kind).tobytes()
    rests = [int.from_bytes(stored[at : at + size - leading], "little") for at in range(0, len(stored), size)]
    middle = 1 << 8 * (size - leading) >> 1
    chosen = min(range(len(rests)), key=lambda place: abs(rests[place] - middle))
    end = (chosen + 1) * size
    lead, before = stored[end - leading : end], end - leading
    allowed = off * float(np.max(np.abs(window)))
    at = data.find(lead, before)
    while at >= 0:
        if at - before + len(stored) <= len(data):
            numbers = np.frombuffer(data, kind, len(window), at - before).astype(np.float64)
            if np.all(np.abs(numbers - window) <= allowed):
                return True
        at = data.find(lead, at + 1)
    return False


def _has_codes(data: bytes, vector: NDArray[np.float64]) -> bool:
    """Whether there are codes of 8 bits: of a range of 1, or of the largest component, signed or from 128 on."""
    signed = np.frombuffer(data, np.int8)
    raised = (np.frombuffer(data, np.uint8) ^ 128).view(np.int8)
    for scale in (127.0, 127.0 / float(np.max(np.abs(vector)))):
        codes = np.round(vector * scale).astype(np.int64)
        for at in _windows(len(codes), _CODES):
            window = codes[at : at + _CODES]
            if np.count_nonzero(np.abs(window) > 2) > _CODES // 4 and (
                _has_near(signed, window) or _has_near(raised, window)
            ):
                return True
    return False


def _has_near(numbers: NDArray[np.int8], window: NDArray[np.int64]) -> bool:
    largest = int(np.argmax(np.abs(window)))
    wanted = int(window[largest])
    close = (numbers >= np.int8(max(wanted - 1, -128))) & (numbers <= np.int8(min(wanted + 1, 127)))
    starts = np.flatnonzero(close) - largest
    starts = starts[(starts >= 0) & (starts <= len(numbers) - len(window))]
    for place, code in enumerate(window):
        starts = starts[np.abs(numbers[starts + place].astype(np.int64) - code) <= 1]
    return bool(len(starts))


def _decimal_patterns(vector: NDArray[np.float64]) -> Iterator[re.Pattern[bytes]]:
    """The first digits of neighbouring numbers, whatever stands between them and however long they go on."""
    third = len(vector) // _PARTS
    for part in range(_PARTS):
        for at in range(part * third, (part + 1) * third - _DECIMALS + 1):
            numbers = vector[at : at + _DECIMALS]
            if np.min(np.abs(numbers)) >= _SMALLEST:
                digits = (re.escape(_first_digits(float(number)).encode()) for number in numbers)
                yield re.compile(rb"\d*[\s,]+".join(digits))
                break


def _first_digits(number: float) -> str:
    """The beginning of a number's decimals, as every writer of floats prints it."""
    shown = f"{number:.12f}"
    start = next(at for at, sign in enumerate(shown) if sign in "123456789")
    point = shown.index(".")
    return shown[: max(start + _DIGITS, point + 2)]


def _windows(length: int, width: int) -> list[int]:
    """Where windows begin, one in each part."""
    third = max(1, length // _PARTS)
    return sorted({min(part * third, max(0, length - width)) for part in range(_PARTS)})
