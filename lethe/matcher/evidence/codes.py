"""Codes without a type of their own (ticket, room, card, version): how each of a request stands in a memory."""

import enum
import functools
import re
from dataclasses import dataclass

from lethe.matcher.evidence.tables import table
from lethe.matcher.evidence.text.words import fold, key

_WITH_DIGIT, _JOINED = r"[^\W_]*\d[^\W_]*", r"(?:[-_./:·|#&+][^\W_]+)*"
_CODE = re.compile(
    rf"(?<![^\W_])[@#]?{_WITH_DIGIT}{_JOINED}|(?<![^\W_])[^\W_]+(?:[-_./:·|#&][^\W_]+)*[-_./:·|#&]{_WITH_DIGIT}{_JOINED}"
)
_RUN = re.compile(r"\d+|[^\W\d_]+")
_BEFORE = re.compile(r"([^\W\d_]+)(?:'s)?[\s.:#=-]*(?:no\.? |nr\.? |number |#)?$", re.IGNORECASE)
_BESIDE = re.compile(r"(?<=\d) (?=\d{2,})|(?<=\d) (?=[A-Z]{1,3}\d)|(?<=\b[A-Z]) (?=\d)")
_NO_LABEL = frozenset(table("codes", "no_labels").split())


class Match(enum.IntEnum):
    """How a code stands in a memory, the surest first."""

    SAME = 0
    UNLABELLED = 1
    """The same number, where one of both sides does not say what it numbers."""
    ENDING = 2
    """One ends with the other ("card ending 4417")."""
    RELABELLED = 3
    """The same number of another kind of thing."""
    LONGER = 4
    """The memory's begins with the request's and goes on."""
    SHORTER = 5
    """The memory's is the beginning of the request's."""
    OTHER = 6
    """The memory has only other codes."""
    ABSENT = 7
    """The memory has no code at all."""


@dataclass(frozen=True, slots=True)
class Code:
    """A code as found.

    Attributes:
        runs: its runs of letters and of digits, folded, without leading zeros.
        label: key of the word before it, "" where none says what it numbers.
    """

    runs: tuple[str, ...]
    label: str

    @property
    def digits(self) -> str:
        return "".join(run for run in self.runs if run[0].isdigit())

    @property
    def letters(self) -> str:
        return "".join(run for run in self.runs if not run[0].isdigit())

    @property
    def whole(self) -> str:
        return "".join(self.runs)


@functools.lru_cache(maxsize=8192)
def codes(text: str) -> tuple[Code, ...]:
    """The codes of a plain text: words that have a digit, with what signs join to them."""
    found = []
    for span in _CODE.finditer(text):
        before = _BEFORE.search(text, 0, span.start())
        label = key(before[1]) if before and before[1].lower() not in _NO_LABEL else ""
        found.append(Code(_runs(span[0]), label))
    for gap in _BESIDE.finditer(text):  # parts that only a space keeps apart
        first = re.search(r"[^\W_]+(?:[-_./ ][^\W_]*\d[^\W_]*)*$", text[: gap.start()])
        rest = re.match(r"(?: ?[^\W_]*\d[^\W_]*)+", text[gap.end() :])
        if first and rest:
            found.append(Code(_runs(first[0] + rest[0]), ""))
    return tuple(found)


def _runs(written: str) -> tuple[str, ...]:
    return tuple((run.lstrip("0") or "0") if run.isdigit() else run for run in _RUN.findall(fold(written)))


def stands(code: Code, others: tuple[Code, ...]) -> Match:
    """How a code of a request stands among those of a memory."""
    return min((_compared(code, other) for other in others), default=Match.ABSENT)


@functools.lru_cache(maxsize=65536)
def _compared(code: Code, other: Code) -> Match:
    if code.whole == other.whole:
        return _by_label(code.label, other.label) if not code.letters and len(code.digits) < 6 else Match.SAME
    one, two = code.whole, other.whole
    if code.digits and (two.startswith(one) or one.startswith(two)):
        return Match.LONGER if two.startswith(one) else Match.SHORTER
    if code.digits == other.digits:
        names, names_2 = code.letters or code.label, other.letters or other.label
        if not (code.letters and other.letters):
            return _by_label(names, names_2)
        return Match.SAME if _short(names, names_2) else Match.RELABELLED
    if min(len(one), len(two)) > 2 and (one.endswith(two) or two.endswith(one)):
        return Match.ENDING
    return Match.OTHER


def _by_label(one: str, other: str) -> Match:
    if not one or not other:
        return Match.UNLABELLED
    return Match.SAME if one == other or _short(one, other) else Match.RELABELLED


def _short(one: str, other: str) -> bool:
    """Whether a label abbreviates the other ("inc" for "incident", "rm" for "room")."""
    short, long = sorted((one, other), key=len)
    letters = iter(long)
    return short[0] == long[0] and all(letter in letters for letter in short)
