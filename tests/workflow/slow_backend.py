"""Systems for the tests of killed and of several runs: they keep rows in a list."""

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


class Counting(Verbatim):
    """Recalls the number of the case, counted since its process began, beside its rows."""

    def __init__(self) -> None:
        super().__init__()
        self._cases = 0

    def reset(self) -> None:
        super().reset()
        self._cases += 1

    def recall_texts(self, query: str, k: int) -> list[str]:
        return [f"case {self._cases}", *super().recall_texts(query, k)]
