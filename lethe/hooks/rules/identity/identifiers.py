"""Typed identifiers: found in a text and brought to one canonical form each (paper, `identifier_obfuscation`)."""

import functools
import re
from collections.abc import Callable, Iterator

from lethe.hooks.rules.identity.addresses import dois, emails, ips, macs, paths, urls, urls_with_scheme, uuids
from lethe.hooks.rules.identity.identifier import Identifier
from lethe.hooks.rules.identity.phones import phones, vanity_phones
from lethe.hooks.rules.identity.places import colours, places
from lethe.hooks.rules.identity.values import Value, amounts, clocks, days, measures, radix_numbers
from lethe.hooks.rules.text.dates import dates
from lethe.hooks.rules.text.lists import listed

WEAK_KINDS = frozenset(listed("amount measure date clock"))
"""Kinds of which many different things may have the same: what else the request says counts as well."""
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


@functools.lru_cache(maxsize=4096)
def defanged(text: str) -> str:
    """A text with `example[.]com` and `hxxp://` written as they are meant."""
    for pattern, plain in _DEFANGED:
        text = pattern.sub(plain, text)
    return text


@functools.lru_cache(maxsize=4096)
def find(text: str) -> tuple[Identifier, ...]:
    """The typed identifiers of a cleaned text; where two overlap, the kind that stands first in the list of finders.

    Kinds: email, uuid, mac, path, url, ip, phone, place, colour, and those of WEAK_KINDS.
    """
    found: list[Identifier] = []
    for finder in _FINDERS:
        for identifier in finder(text):
            if all(identifier.end <= other.start or identifier.start >= other.end for other in found):
                found.append(identifier)
    return tuple(sorted(found, key=lambda identifier: identifier.start))


def _typed(kind: str, values: Callable[[str], Iterator[Value]]) -> Callable[[str], Iterator[Identifier]]:
    def finder(text: str) -> Iterator[Identifier]:
        return (Identifier(kind, *value) for value in values(text))

    return finder


_FINDERS: tuple[Callable[[str], Iterator[Identifier]], ...] = (
    dois, urls_with_scheme, emails, uuids, macs, ips, places, colours, _typed("number", radix_numbers), paths, dates,
    _typed("date", days), urls, vanity_phones, phones, _typed("measure", measures), _typed("amount", amounts),
    _typed("clock", clocks),
)  # fmt: skip
