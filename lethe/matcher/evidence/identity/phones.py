"""Telephone numbers."""

import re
from collections.abc import Iterator

from lethe.matcher.evidence.identity.typed_identifier import Identifier

_PHONE = re.compile(
    r"(?<![\w.])(?P<number>\(?(?:\+|00)?\(?\d(?:[ ().\-/]{0,3}\d){6,14})(?P<dots>)(?![\d]|[A-Za-z_-]\w)"
    r"(?:,? ?(?:ext(?:ension|n)?\.?|x|#|durchwahl) ?(?P<ext>\d{1,6}))?",
    re.IGNORECASE,
)
_VANITY = re.compile(r"(?<![\w-])\+?1?[ .-]?\(?8\d\d\)?[ -.](?=[A-Z\d-]*[A-Z]{3})[A-Z\d]{3,}(?:-[A-Z\d]+)*(?!\w)")
_SPOKEN_PHONE = re.compile(
    r"\b(?:phone|tel|telephone|fax|mobile|cell|line|call|ring|dial|text|whatsapp|sms|reach)\W[\w .:']*$", re.I
)


def phones(text: str, *, any_number: bool = False) -> Iterator[Identifier]:
    """The telephone numbers of a text; `any_number` takes numbers that nothing marks as such, too."""
    for found in _PHONE.finditer(text):
        surface = re.sub(r"^\((?=\+|00)", "", found["number"])
        before = text[max(0, found.start() - 24) : found.start()]
        is_part = re.search(r"\b[A-Z]+\d* $", before) is not None
        dialled = surface.startswith("00") and sum(map(str.isdigit, surface)) >= 11 and not is_part
        marked = dialled or found["number"].startswith(("+", "(")) or _SPOKEN_PHONE.search(before)
        if not (marked or any_number or re.search(r"\(\d+\)", surface)):
            continue
        extension = f" ext {found['ext']}" if found["ext"] else ""
        surface = re.sub(r"\(0\)", "", surface) if surface.startswith(("+", "00")) else surface
        digits = re.sub(r"\D", "", surface)
        international = surface.startswith("+") or (surface.startswith("00") and len(digits) > 10)
        digits = digits.removeprefix("00") if surface.startswith("00") and international else digits
        yield Identifier(
            "phone", frozenset({("+" if international else "") + digits + extension}), found.start(), found.end()
        )


def vanity_phones(text: str) -> Iterator[Identifier]:
    """Telephone numbers with letters that stand for keys, "1-800-FLOWERS"."""
    for found in _VANITY.finditer(text):
        from phonenumbers import convert_alpha_characters_in_number

        digits = re.sub(r"\D", "", convert_alpha_characters_in_number(found[0]))
        if 10 <= len(digits) <= 13:
            yield Identifier("phone", frozenset({digits}), found.start(), found.end())
