"""Failures that a system swallows: a model that never answered must not look like one that had nothing to say."""

from collections.abc import Callable
from typing import Any


class Watched:
    """A callable that keeps the first exception of what it calls, besides passing it on."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call
        self._failure: Exception | None = None

    def __call__(self, *args: Any, **options: Any) -> Any:
        try:
            return self._call(*args, **options)
        except Exception as failure:
            self._failure = self._failure or failure
            raise

    def raise_failure(self) -> None:
        """Raise what was kept, if anything, and forget it.

        Raises:
            RuntimeError: naming the exception, or what that one was raised from.
        """
        failure, self._failure = self._failure, None
        if failure is not None:
            reason = failure.__cause__ or failure
            raise RuntimeError(f"a request failed ({type(reason).__name__}: {reason})") from failure
