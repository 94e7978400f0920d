"""Stores as strangers write them, good ones and bad ones, for the tests of `forgeteval.evaluate`."""

import asyncio
import contextlib
import inspect
import itertools
import json
import os
import shutil
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
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


async def async_factory() -> Async:
    await asyncio.sleep(0)
    return Async()


def factory_of_nothing() -> None: ...


def factory_of_a_class() -> type[Shelf]:
    return Shelf


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


class HangsAndTells(Shelf):
    def delete(self, id: str | int) -> None:
        Path(os.environ["TOLD"]).write_text(str(os.getpid()))
        time.sleep(600)


class Exits(Shelf):
    def delete(self, id: str | int) -> None:
        os._exit(7)


class ExitsPolitely(Shelf):
    def delete(self, id: str | int) -> None:
        sys.exit(7)


class Dicts(Shelf):
    def search(self, query: str, k: int) -> Any:
        return [{"id": hit.id, "text": hit.text} for hit in super().search(query, k)]


class Scores(Shelf):
    """Gives its hits a score that the test chooses."""

    score: Any = 1.0

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(hit.id, hit.text, self.score) for hit in super().search(query, k)]


class TooMany(Shelf):
    def search(self, query: str, k: int) -> list[Hit]:
        return super().search(query, 1000) + super().search(query, 1000) + [Hit(0, "", 0.0)] * k


class Endless(Shelf):
    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(hit.id, "a" * 2_000_000, 0.0) for hit in super().search(query, k)]

    def delete(self, id: str | int) -> None:
        pass


class RefusesAtLength(Shelf):
    def delete(self, id: str | int) -> None:
        raise NotImplementedError("no " * 1_000_000)


class PrintsAndExits(Shelf):
    def delete(self, id: str | int) -> None:
        for _ in range(3):
            os.write(1, b"first\n" + b"\n" * 100_000)
        os._exit(7)


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


class OffersNoText(Shelf):
    not_offered = "purge"  # type: ignore[assignment]


class OffersNothing(Shelf):
    not_offered = None  # type: ignore[assignment]


class OffersNoWord(Shelf):
    not_offered = frozenset({"forget"})


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

        channels = [thing for thing in gc.get_objects() if type(thing).__name__ == "_Channel"]
        came = {"asked": True, "recalled": ["forged"]}
        for channel in channels:
            line = json.dumps({"Done": {"trial": "0" * 16, "came": came}}).encode() + b"\n"
            channel._outgoing.write(line)
            channel._outgoing.flush()
        return super().search(query, k)


def _served() -> dict[str, Any]:
    """The local variables of the functions that serve the parent."""
    found: dict[str, Any] = {}
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_code.co_name in ("main", "_serve"):
            found |= frame.f_locals
        frame = frame.f_back
    return found


class StopsClocks(Shelf):
    """Puts another clock in the place of the measuring one."""

    def search(self, query: str, k: int) -> list[Hit]:
        time.perf_counter = lambda: float("nan")
        return super().search(query, k)


class RemovesFolder(Shelf):
    """Removes the files that its process writes to, and ends."""

    def search(self, query: str, k: int) -> list[Hit]:
        shutil.rmtree(Path(_served()["build"].mark).parent)
        os._exit(3)


class BuiltOnce(Shelf):
    """Cannot be built where it has been before."""

    def __init__(self) -> None:
        super().__init__()
        if (Path(os.environ["BUILT_ONCE"])).exists():
            raise NotImplementedError("the licence is for one")

    def search(self, query: str, k: int) -> list[Hit]:
        Path(os.environ["BUILT_ONCE"]).touch()
        os._exit(3)


class Sends(Shelf):
    """Sends what the variable SENDS says in place of what came of a question, and waits."""

    def search(self, query: str, k: int) -> list[Hit]:
        served = _served()
        came = json.loads(os.environ["SENDS"])
        if "times" in came:
            came["recalled"] = ["a" * came.pop("times")]
        line = json.dumps({"Done": {"trial": served["tell"].trial, "came": came}})
        os.write(served["channel"]._outgoing.fileno(), line.encode() + b"\n")
        time.sleep(60)
        return []


class AsksAndSleeps(Shelf):
    """Asks for more vectors than a pipe holds, and never takes them."""

    def __init__(self, embedder: Any) -> None:
        super().__init__()

    def search(self, query: str, k: int) -> list[Hit]:
        line = json.dumps({"Embed": {"texts": [f"text {number}" for number in range(256)]}})
        channel = _served()["channel"]
        channel._outgoing.write(line.encode() + b"\n")
        channel._outgoing.flush()
        time.sleep(60)
        return []


class EmbedsAtOnce(Shelf):
    """Embeds in several threads, and recalls whether each got its own vector."""

    def __init__(self, embedder: Any) -> None:
        super().__init__()
        self._embedder = embedder

    def search(self, query: str, k: int) -> list[Hit]:
        def ratio(number: int) -> float:
            first, second = self._embedder.embed([str(number)])[0]
            return float(first / second)

        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(ratio, range(100)))
        return [Hit("0", str(all(abs(ratio - at) < 0.1 for at, ratio in enumerate(found))), 1.0)]


class ComesBackTwice(Shelf):
    """Forks, and lets the copy come back."""

    def search(self, query: str, k: int) -> list[Hit]:
        os.fork()
        return super().search(query, k)


class SaysOne(list[Hit]):
    """A list that says that it is short."""

    def __len__(self) -> int:
        return 1


class SaysItIsShort(Shelf):
    """Returns more than it is asked for, in a list that says otherwise."""

    def search(self, query: str, k: int) -> list[Hit]:
        return SaysOne(Hit(str(number), "Tartu", 1.0) for number in range(1000))


class Spies(Shelf):
    """Recalls what it can read of the processes above it, as far as its kernel tells of any."""

    def search(self, query: str, k: int) -> list[Hit]:
        found, process = [], os.getppid()
        while process > 1:
            for place in ("environ", "mem"):
                try:
                    with Path(f"/proc/{process}/{place}").open("rb") as stream:
                        stream.read(1) if place == "environ" else stream.fileno()
                    found.append(f"{place} of a process above")
                except OSError:
                    continue
            stated = Path(f"/proc/{process}/stat").read_bytes()
            process = int(stated.rpartition(b")")[2].split()[1])
        return [Hit(0, "; ".join(found) or "nothing", 1.0)]


class LeavesDaemon(Shelf):
    """Leaves a process that has left its session and its parent, and writes its number to the file DAEMON."""

    def __init__(self) -> None:
        super().__init__()
        daemon = Path(os.environ["DAEMON"])
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                daemon.write_text(str(os.getpid()), encoding="utf-8")
                os.closerange(0, 1000)
                time.sleep(600)
            os._exit(0)
        os.wait()
        while not (daemon.exists() and daemon.read_text(encoding="utf-8")):
            time.sleep(0.01)


class EndsItsKeeper(LeavesDaemon):
    """Tries to end or to stop, by the signal SENT, what would end its daemon, and writes that it has done so."""

    def __init__(self) -> None:
        super().__init__()
        with contextlib.suppress(PermissionError):
            os.kill(os.getppid(), int(os.environ["SENT"]))
            Path(os.environ["DAEMON"]).with_name("sent").write_text("sent", encoding="utf-8")


class EmbedsForEver(Shelf):
    """Asks for vectors and for nothing else."""

    def __init__(self, embedder: Any) -> None:
        super().__init__()
        for number in itertools.count():
            embedder.embed([f"text {number}"])


class EmbedsManyAtOnce(Shelf):
    """Asks for a thousand vectors by one call as it is made."""

    def __init__(self, embedder: Any) -> None:
        super().__init__()
        if embedder.embed([f"{number}" for number in range(1000)]).tolist() != [[float(n), 1.0] for n in range(1000)]:
            raise ValueError("others")
        if embedder.embed([]).shape != (0, 2):
            raise ValueError("not empty")


class EmbedsTwice(Shelf):
    """Asks for vectors two times as it is made."""

    def __init__(self, embedder: Any) -> None:
        super().__init__()
        for text in ("one", "two"):
            embedder.embed([text])
