"""Keeping secrets out of everything that is stored, logged or answered."""

import json
from collections.abc import Iterable

REDACTED = "[redacted]"
SHORTEST_SECRET = 8
"""Characters. Placeholders that local servers take for keys ("none", "EMPTY") are words that texts may hold."""


class Redactor:
    """Replaces the given secrets, as they are and as JSON escapes them, wherever they stand in a text."""

    def __init__(self, secrets: Iterable[str]) -> None:
        long = [secret for secret in secrets if len(secret) >= SHORTEST_SECRET]
        forms = {form for secret in long for form in (secret, json.dumps(secret)[1:-1])}
        self._forms = sorted(forms, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, REDACTED)
        return text
