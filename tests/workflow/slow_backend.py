"""A system for the tests of killed runs: it keeps rows in a list and takes its time over each case."""

import time
from collections.abc import Sequence

from lethe.systems.controls import Verbatim


class Slow(Verbatim):
    def inscribe(self, texts: Sequence[str]) -> None:
        time.sleep(0.1)
        super().inscribe(texts)
