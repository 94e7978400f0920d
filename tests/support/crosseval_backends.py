"""Systems under test: one that keeps all it is told, and that does as some of its rows say."""

import os
import time
from collections.abc import Sequence
from pathlib import Path


class Keeper:
    """Recalls every row, newest first, and finds nothing else of interest in a query.

    `needs PATH` ends the process unless the file exists, `touch PATH` adds a line to it, `hang` stops answering and
    `raise` raises.
    """

    def __init__(self) -> None:
        self.rows: list[str] = []

    def reset(self) -> None:
        self.rows = []

    def inscribe(self, texts: Sequence[str]) -> None:
        for text in texts:
            word, _, path = text.partition(" ")
            if word == "needs" and not Path(path).exists():
                os._exit(3)
            if word == "touch":
                with Path(path).open("a", encoding="utf-8") as stream:
                    stream.write("told\n")
            if word == "hang":
                time.sleep(600)
            if word == "raise":
                raise RuntimeError("told to raise")
        self.rows.extend(texts)

    def recall_texts(self, query: str, k: int) -> list[str]:
        return self.rows[::-1][:k]

    def supersede(self, query: str, text: str) -> None:
        self.rows.append(text)

    def release(self, query: str) -> None:
        raise NotImplementedError("no release")

    def purge(self, query: str) -> None:
        raise NotImplementedError("no purge")

    def close(self) -> None: ...
