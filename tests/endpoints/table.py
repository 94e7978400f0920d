"""The rows of the table "What endpoints do" in docs/models.md; each has a test here that plays the endpoint."""

from collections.abc import Callable
from typing import Any, TypeVar

Test = TypeVar("Test", bound=Callable[..., Any])
PLAYED: dict[str, str] = {}
"""The module of the test of each behaviour, by the behaviour's name in the table."""


def behaviour(name: str) -> Callable[[Test], Test]:
    """Mark a test as that of a row, by the row's first cell."""

    def mark(test: Test) -> Test:
        assert name not in PLAYED, f"{name}: has a test"
        PLAYED[name] = test.__module__
        return test

    return mark
