"""Display of progress: a bar on a terminal, otherwise a plain line every ten seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

_SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def progress(name: str, total: int, done: int = 0) -> Iterator[Callable[[int], object]]:
    """Yield a function `advance(n)`, to be called whenever n more items are done."""
    if sys.stderr.isatty():
        with tqdm(desc=name, total=total, initial=done, unit="", leave=False) as bar:
            yield bar.update
        return
    started = last = time.monotonic()

    def advance(n: int) -> None:
        nonlocal done, last
        done += n
        if time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            print(f"{name}: {done} of {total} after {last - started:.0f} s", file=sys.stderr, flush=True)

    yield advance
