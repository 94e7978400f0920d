"""Finds typed identifiers in a text and brings each to one canonical form (paper, `identifier_obfuscation`)."""

import functools
import importlib
import re
from collections.abc import Callable, Iterator

from lethe.matcher.evidence.identity.addresses import (
    dois,
    emails,
    ips,
    macs,
    paths,
    urls,
    urls_with_scheme,
    uuids,
)
from lethe.matcher.evidence.identity.phones import phones, vanity_phones
from lethe.matcher.evidence.identity.typed_identifier import Identifier

_SIGN = r" ?(?:\({0}\)|\[{0}\]|\{{{0}\}}|<{0}>) ?"
_DEFANGED = (
    (re.compile(_SIGN.format(r"(?:dot|punkt|punto|point|\.)"), re.I), "."),
    (
        re.compile(r"(?<=\w)" + _SIGN.format("(?:at|a|@)") + r"(?=[\w-]+(?:\.| dot ))|(?<=\w)_at_(?=[\w-]+\.)", re.I),
        "@",
    ),
    (re.compile(r"(?<=\d) dot (?=\d)", re.I), "."),
    (re.compile(r"\bhxxp(s?)://", re.I), r"http\1://"),
    (re.compile(r"\[:\]"), ":"),
)
_MAY_BE_DEFANGED = re.compile(r"[(\[{<]|_at_| dot |hxxp", re.I)


def load_tables() -> None:
    """Read the tables of telephone numbers, book numbers and host names now, not with the first that is met."""
    for name in ("phonenumbers", "stdnum.isbn", "idna.uts46data"):
        importlib.import_module(name)


@functools.lru_cache(maxsize=4096)
def defanged(text: str) -> str:
    """A text with `example[.]com` and `hxxp://` written as they are meant."""
    if _MAY_BE_DEFANGED.search(text):
        for pattern, plain in _DEFANGED:
            text = pattern.sub(plain, text)
    return text


@functools.lru_cache(maxsize=4096)
def find(text: str) -> tuple[Identifier, ...]:
    """The typed identifiers of a cleaned text; where two overlap, the kind that stands first in the list of finders.

    Kinds: doi, url, email, uuid, mac, ip, path, phone.
    """
    found: list[Identifier] = []
    has_digit = _DIGIT.search(text) is not None
    for finder, needed in _FINDERS:
        if not (has_digit if needed is _DIGIT else needed.search(text)):
            continue
        for identifier in finder(text):
            if all(identifier.end <= other.start or identifier.start >= other.end for other in found):
                found.append(identifier)
    return tuple(sorted(found, key=lambda identifier: identifier.start))


_DIGIT = re.compile(r"\d")
_FINDERS: tuple[tuple[Callable[[str], Iterator[Identifier]], re.Pattern[str]], ...] = (
    (dois, _DIGIT),
    (urls_with_scheme, re.compile("://")),
    (emails, re.compile("@| at ", re.I)),
    (uuids, _DIGIT),
    (macs, re.compile(r"[0-9a-f]{2}[0-9a-f.: -]", re.I)),
    (ips, re.compile(r"[\d:]")),
    (paths, re.compile(r"[/\\]")),
    (urls, re.compile("[.:]")),
    (vanity_phones, _DIGIT),
    (phones, _DIGIT),
)
"""Each finder with a pattern that is quick to try and matches in every text that has what is looked for."""
