"""Removal of secrets from everything that is stored, logged or answered."""

import json
from collections.abc import Iterable

REDACTED = "[redacted]"
SHORTEST_SECRET = 8
"""Length in characters; shorter keys are placeholders for local servers ("none", "EMPTY"), which are ordinary words."""


class Redactor:
    """Replaces the given secrets, as they are and as JSON escapes them, everywhere in a text."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._forms: list[str] = []
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str | None) -> None:
        """One more secret, if any."""
        if secret is not None and len(secret) >= SHORTEST_SECRET:
            forms = {*self._forms, secret, json.dumps(secret)[1:-1]}
            self._forms = sorted(forms, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, REDACTED)
        return text
