"""A system for the tests of killed runs: it keeps rows in a list and takes its time over each case."""

import time
from collections.abc import Sequence
from pathlib import Path

from forgeteval.stores.controls import Verbatim


class Slow(Verbatim):
    """Waits `seconds` in each case, until the file `until` exists if one is given."""

    def __init__(self, until: str | None = None, seconds: float = 0.1) -> None:
        super().__init__()
        self._seconds = seconds
        self._until = until and Path(until)

    def inscribe(self, texts: Sequence[str]) -> None:
        if not (self._until and self._until.exists()):
            time.sleep(self._seconds)
        super().inscribe(texts)
