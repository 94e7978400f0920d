"""Display of progress, with what remains: a bar on a terminal, otherwise a plain line every ten seconds."""

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from forgeteval.errors import printable

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_BARS = 0.1
_BAR = 24
"""Characters of a bar."""


@contextmanager
def progress(name: str, total: int, done: int = 0, note: Callable[[], str] = str) -> Iterator[Callable[[int], object]]:
    """Yield a function `advance(n)`, to be called whenever n more items are done.

    Args:
        done: items that were done before.
        note: what else there is to say, such as what was spent so far.
    """
    display = _Display(name, total, done, sys.stderr.isatty(), note)
    try:
        yield display.advance
    finally:
        display.clear()


class _Display:
    def __init__(self, name: str, total: int, done: int, on_terminal: bool, note: Callable[[], str]) -> None:
        self._name, self._total, self._done, self._before = printable(name), total, done, done
        self._on_terminal, self._note = on_terminal, note
        self._started = self._last = time.monotonic()

    def advance(self, n: int) -> None:
        self._done += n
        now = time.monotonic()
        if now - self._last < (_SECONDS_BETWEEN_BARS if self._on_terminal else _SECONDS_BETWEEN_LINES):
            return
        self._last = now
        if self._on_terminal:
            full = _BAR * self._done // max(self._total, 1)
            line = f"{self._name} [{'#' * full}{'.' * (_BAR - full)}] {self._done}/{self._total}, {self._left(now)}"
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\033[K{line[:width]}", end="", file=sys.stderr, flush=True)
        else:
            after = f"after {now - self._started:.0f} s, {self._left(now)}"
            print(f"{self._name}: {self._done} of {self._total} {after}", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Remove the bar, if there is one."""
        if self._on_terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def _left(self, now: float) -> str:
        finished = self._done - self._before
        seconds = (now - self._started) / finished * (self._total - self._done) if finished else 0.0
        said = self._note()
        return f"{seconds:.0f} s left" + (f", {said}" if said else "")
