"""The units of a memory: its sentences, lines, entries and fields, however they are set apart."""

import functools
import re
from collections.abc import Sequence

from lethe.planners.matcher.text.syntax import verb_position

_ABBREVIATION = re.compile(
    r"^(?-i:[A-Z]\w{0,2})\.(?=\s[A-Z])|\b(?:Mr|Mrs|Ms|Dr|Prof|St|Nos?|vs|Jr|Sr|approx|dept|ext|tel|Mt|Ave|Rd|Capt|Sgt|Rev|Hon|"
    r"Inc|Ltd|Co|e\.g|i\.e|a\.m|p\.m|dep|arr|min|max)\.(?=\s)",
    re.IGNORECASE,
)
_IN_NUMBER = re.compile(r"(?<=\d),(?=\d{3}\b)")
_QUOTED = re.compile(r"(?<!\w)\"[^\",.;]{1,60}\"")
_MASKED = {".": "\ue000", ",": "\ue001", " ": "\ue002", ";": "\ue003", ":": "\ue004"}
_HIDDEN = str.maketrans(_MASKED)
_PLAIN = {mask: sign for sign, mask in _MASKED.items()}
_PAIR = re.compile(r"(?<!\S)[\w.-]+=(?:\"[^\"]*\"|\S+)")
_ENTRY = re.compile(r"(?:(?<=\s)|^)(?:\(?(\d{1,2}|[a-z])\)|(\d{1,2})\.)\s+(?=\S)", re.IGNORECASE)
_SIGNS = re.compile(
    r"\s*[\n\t]\s*(?:[-*+]\s+)?|(?<=[^\W\d_][^\W\d_])[.!]\s+(?=[\W]?[^\W\d_a-z])|(?<=[\d)%\"])\.\s+(?=[A-Z])|\s*;\s+|"
    r"\s+/\s+|\s+\|\s+|\s+-\s+(?=\w)|\s+[•·▪]\s+|\.\s+(?=[A-Z][\w ]{1,20}:\s)|(?<=\w)\.{2,}\s+|\s*…\s+"
)


def units(memory: str) -> list[str]:
    """The units of a memory, in order."""
    text = _labelled(masked(memory.strip()))
    entries = list(_ENTRY.finditer(text))
    if _is_count([found[1] or found[2] for found in entries]):
        text = _ENTRY.sub("\n", text).strip()
    pairs = [found.start() for found in _PAIR.finditer(text)]
    if len(pairs) > 1 and not re.search(r"=\S+[,;]\s", text):
        text = "".join(("\n" if start in pairs and start else "") + letter for start, letter in enumerate(text))
    return [unmasked(piece) for piece in _SIGNS.split(text) if piece and piece.strip()]


def _labelled(text: str) -> str:
    """A label followed by a dash ("Jumble sale - gymnasium, 3 pm") with a colon instead."""
    head, *values = re.split(r"\s+-\s+", text)
    is_label = (
        len(values) == 1 and re.fullmatch(r"[^:;.=|]{2,60}(?:: [^:;.=|]{2,30})?", head) and verb_position(head) is None
    )
    return f"{head}: {values[0]}" if is_label else text


def header(pieces: Sequence[str], memory: str) -> str:
    """The first field of several, where it only names what the others are about ("Bike 12 | brakes: discs"), or ""."""
    dashes = len(re.findall(r"\s-\s", memory)) > 1
    if len(pieces) < 2 or not (re.search(r"\s[|/•·▪]\s", memory) or dashes or _PAIR.match(pieces[0])):
        return ""
    first = pieces[0].strip()
    if _PAIR.match(first):
        return first.split("=")[1] if len(pieces) > 2 else ""
    return "" if re.search(r"[:=]\s", first) or verb_position(first) is not None else first


@functools.lru_cache(maxsize=4096)
def masked(text: str) -> str:
    """The text with signs masked that do not separate units: in abbreviations, numbers and short quotations."""
    text = _QUOTED.sub(lambda found: found[0].translate(_HIDDEN), text)
    text = _ABBREVIATION.sub(lambda found: found[0][:-1] + _MASKED["."], text)
    return _IN_NUMBER.sub(_MASKED[","], text)


def unmasked(text: str) -> str:
    """The text as it was before `masked`."""
    return "".join(_PLAIN.get(letter, letter) for letter in text)


def _is_count(marks: Sequence[str]) -> bool:
    """Whether marks count up from the first one ("1", "2" or "a", "b")."""
    values = [int(mark) if mark.isdigit() else ord(mark.lower()) - ord("a") + 1 for mark in marks]
    return len(values) > 1 and values == list(range(1, len(values) + 1))
