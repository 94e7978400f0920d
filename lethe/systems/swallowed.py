"""Detection of failures that a system swallows, so that a failed request does not pass for an empty answer."""

from collections.abc import Callable
from typing import Any


class Watched:
    """A wrapper of a callable that keeps the first exception it raises and passes it on."""

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
        """Raise the exception that was kept, if any, and forget it.

        Raises:
            RuntimeError: naming the exception, or its cause if it has one.
        """
        failure, self._failure = self._failure, None
        if failure is not None:
            reason = failure.__cause__ or failure
            raise RuntimeError(f"a request failed ({type(reason).__name__}: {reason})") from failure
