"""The circuit breaker, which saves waiting for a dead endpoint again and again."""

import time

OPENS_AFTER = 3
"""Number of consecutive calls, none of whose attempts got any answer, after which the circuit opens."""
COOL_DOWN_S = 30.0
"""Seconds after which one call is let through, with a single attempt, to test the endpoint."""


class Breaker:
    """Counts consecutive calls without any answer, and decides how many attempts the next call may make."""

    def __init__(self) -> None:
        self._unanswered = 0
        self._opened_at = 0.0

    def attempts_allowed(self, wanted: int) -> int:
        """`wanted` while the circuit is closed; while it is open 0, or 1 for the test call after the cool-down."""
        if self._unanswered < OPENS_AFTER:
            return wanted
        if time.monotonic() < self._opened_at + COOL_DOWN_S:
            return 0
        self._opened_at = time.monotonic()
        return 1

    def note(self, answered: bool) -> None:
        """Whether a call got any answer."""
        self._unanswered = 0 if answered else self._unanswered + 1
        self._opened_at = time.monotonic()
