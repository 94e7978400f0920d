"""The circuit breaker: a dead endpoint is not waited for again and again."""

import time

OPENS_AFTER = 3
"""Consecutive calls whose every attempt failed to get any answer."""
COOL_DOWN_S = 30.0
"""Seconds after which one call is let through, with a single attempt, to see whether the endpoint lives again."""


class Breaker:
    """Counts calls in a row that an endpoint did not answer at all, and says how often the next may try."""

    def __init__(self) -> None:
        self._unanswered = 0
        self._opened_at = 0.0

    def attempts_allowed(self, wanted: int) -> int:
        """`wanted` while the circuit is closed; when open, 0, or 1 for the call that probes after the cool-down."""
        if self._unanswered < OPENS_AFTER:
            return wanted
        if time.monotonic() < self._opened_at + COOL_DOWN_S:
            return 0
        self._opened_at = time.monotonic()
        return 1

    def answered(self) -> None:
        self._unanswered = 0

    def unanswered(self) -> None:
        self._unanswered += 1
        self._opened_at = time.monotonic()
