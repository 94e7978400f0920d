"""Stores as strangers write them, good ones and bad ones, for the tests of `forgeteval.evaluate`."""

import inspect
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval import Backend, Hit


class Shelf(Backend):
    """A list in which whole words are looked for."""

    def __init__(self) -> None:
        self.memories: dict[int, str] = {}
        self.told = 0

    def reset(self) -> None:
        self.memories = {}

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self.told += 1
            self.memories[self.told] = text

    def search(self, query: str, k: int) -> list[Hit]:
        asked = set(query.lower().split())
        hits = [Hit(id, text, len(asked & set(text.lower().split()))) for id, text in self.memories.items()]
        return sorted(hits, key=lambda hit: -hit.score)[:k]

    def delete(self, id: str | int) -> None:
        del self.memories[int(id)]


class Duck:
    """The same without the base class, and without what it can do without."""

    def __init__(self) -> None:
        self._shelf = Shelf()

    def add(self, texts: Sequence[str]) -> None:
        self._shelf.add(texts)

    def search(self, query: str, k: int) -> list[Hit]:
        return self._shelf.search(query, k)

    def delete(self, id: str | int) -> None:
        self._shelf.delete(id)


class Async:
    """The same with `async def`."""

    def __init__(self) -> None:
        self._shelf = Shelf()

    async def reset(self) -> None:
        self._shelf.reset()

    async def add(self, texts: Sequence[str]) -> None:
        self._shelf.add(texts)

    async def search(self, query: str, k: int) -> list[Hit]:
        return self._shelf.search(query, k)

    async def delete(self, id: str | int) -> None:
        self._shelf.delete(id)


class Six:
    """The same by the paper's six methods, composed by its author as the policies compose it."""

    def __init__(self) -> None:
        from forgeteval.stores.given import UNIFORM
        from forgeteval.stores.policies import ComposedAdapter

        self._composed = ComposedAdapter(Shelf(), UNIFORM)

    def reset(self) -> None:
        self._composed.reset()

    def inscribe(self, texts: Sequence[str]) -> None:
        self._composed.inscribe(texts)

    def recall_texts(self, query: str, k: int) -> list[str]:
        return self._composed.recall_texts(query, k)

    def supersede(self, query: str, text: str) -> None:
        self._composed.supersede(query, text)

    def release(self, query: str) -> None:
        self._composed.release(query)

    def purge(self, query: str) -> None:
        self._composed.purge(query)


def factory() -> Shelf:
    """Makes one."""
    return Shelf()


instance = Shelf()


class Closes(Shelf):
    def close(self) -> None:
        Path(os.environ["CLOSED"]).touch()


class WithoutPurge(Shelf):
    not_offered = frozenset({"purge"})


class Raises(Shelf):
    def delete(self, id: str | int) -> None:
        raise RuntimeError("the disk is gone")


class Hangs(Shelf):
    def delete(self, id: str | int) -> None:
        time.sleep(60)


class Exits(Shelf):
    def delete(self, id: str | int) -> None:
        os._exit(7)


class ExitsPolitely(Shelf):
    def delete(self, id: str | int) -> None:
        sys.exit(7)


class Dicts(Shelf):
    def search(self, query: str, k: int) -> Any:
        return [{"id": hit.id, "text": hit.text} for hit in super().search(query, k)]


class TooMany(Shelf):
    def search(self, query: str, k: int) -> list[Hit]:
        return super().search(query, 1000) + super().search(query, 1000) + [Hit(0, "", 0.0)] * k


class Prints(Shelf):
    def add(self, texts: Sequence[str]) -> None:
        print("adding", len(texts))
        super().add(texts)


class WithoutDelete(Backend):
    """Adds and searches."""

    def __init__(self) -> None:
        self._shelf = Shelf()

    def reset(self) -> None:
        self._shelf.reset()

    def add(self, texts: Sequence[str]) -> None:
        self._shelf.add(texts)

    def search(self, query: str, k: int) -> list[Hit]:
        return self._shelf.search(query, k)


class CannotBeBuilt(Shelf):
    def __init__(self) -> None:
        raise ValueError("no connection")


class NoSearch:
    def add(self, texts: Sequence[str]) -> None: ...


class Curious(Shelf):
    """Looks for the solution wherever Python lets it look, and recalls what it found."""

    def search(self, query: str, k: int) -> list[Hit]:
        found = []
        frame = inspect.currentframe()
        while frame is not None:
            found.append(repr([value for name, value in frame.f_locals.items() if name not in ("found", "frame")]))
            frame = frame.f_back
        return [Hit(0, " ".join(found), 1.0)]

    def delete(self, id: str | int) -> None: ...


class Forger(Shelf):
    """Answers the next trial too, when it is asked in the first."""

    def search(self, query: str, k: int) -> list[Hit]:
        import gc
        import json

        channels = [thing for thing in gc.get_objects() if type(thing).__name__ == "_Channel"]
        came = {"asked": True, "recalled": ["forged"]}
        for channel in channels:
            line = json.dumps({"Done": {"trial": "0" * 16, "came": came}}).encode() + b"\n"
            channel._outgoing.write(line)
            channel._outgoing.flush()
        return super().search(query, k)
