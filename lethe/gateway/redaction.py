"""Removal of secrets from everything that is stored, logged or answered."""

import re
from collections.abc import Iterable

REDACTED = "[redacted]"
SHORTEST_SECRET = 8
"""Length in characters; shorter keys are placeholders for local servers ("none", "EMPTY"), which are ordinary words."""


class Redactor:
    """Replaces the given secrets everywhere in a text, however their characters are escaped there."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str | None) -> None:
        """One more secret, if any."""
        if secret is None or len(secret) < SHORTEST_SECRET:
            return
        self._secrets.add(secret)
        longest_first = sorted(self._secrets, key=len, reverse=True)
        self._pattern = re.compile("|".join("".join(map(_spellings, known)) for known in longest_first))

    def __call__(self, text: str) -> str:
        return text if self._pattern is None else self._pattern.sub(REDACTED, text)


def _spellings(character: str) -> str:
    """A pattern of the ways in which JSON (also within JSON), Python, addresses and HTML write a character."""
    code = ord(character)
    hexadecimal = rf"\\{{1,4}}(?i:u{code:04x}|x{code:02x})|%(?i:{code:02x})|&#(?:0*{code}|(?i:x0*{code:x}));"
    return rf"(?:\\{{0,4}}{re.escape(character)}|{hexadecimal})"
