"""Systems that attack the run that measures them; they run inside workers. What they do, they do at a question about
"evil"."""

import gc
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from forgeteval.embed.embedder import Embedder
from forgeteval.run.replay import Stepped
from lethe.jobs.messages import Done
from lethe.jobs.worker import Lane
from tests.support.misbehaving import Obedient


class Quiet(Obedient):
    """Obeys, but for what it does at a question about "evil"; the others are made of it."""

    def recall_texts(self, query: str, k: int) -> list[str]:
        if "evil" in query:
            self.attack()
        return super().recall_texts(query, k)

    def attack(self) -> None: ...


class LongOutput(Quiet):
    """Makes the file of its standard output 8 TB long, without writing any of it."""

    def attack(self) -> None:
        os.ftruncate(1, 1 << 43)


class LongLog(Quiet):
    def attack(self) -> None:
        os.ftruncate(2, 1 << 43)
        os._exit(3)


class DeepHome(Quiet):
    """Leaves more folders in each other than Python calls functions in each other."""

    def attack(self) -> None:
        os.chdir(os.environ["HOME"])
        for _ in range(1200):
            Path("d").mkdir()
            os.chdir("d")


class Embedding(Quiet):
    """Asks for the vectors of what no tokenizer takes."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__()
        self.embedder = embedder

    def attack(self) -> None:
        self.embedder.embed(["\ud800"])


class LooksForTheSolution(Quiet):
    """Recalls whatever text with a mark it finds in its own process: in objects, and in the frames above it."""

    def recall_texts(self, query: str, k: int) -> list[str]:
        mark = "xqSOLUT" + "ION"
        return [text for text in _texts() if mark in text and text not in (mark, query, *self.memories)][:k] or [
            "nothing"
        ]


def _texts() -> set[str]:
    kinds: tuple[type[Any], ...] = (list, tuple, dict)
    held = [place for place in gc.get_objects() if type(place) in kinds]
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        held.append(dict(frame.f_locals))
    found = set[str]()
    for place in held:
        found.update(text for text in list(place.values() if type(place) is dict else place) if type(text) is str)
    return found


class ForgesItsAnswer(Quiet):
    """Finds the number of its own trial in the frames above it, and answers in the worker's place."""

    def attack(self) -> None:
        frame = sys._getframe()
        while "trial" not in frame.f_locals or not isinstance(frame.f_locals.get("self"), Lane):
            assert frame.f_back is not None
            frame = frame.f_back
        lane = frame.f_locals["self"]
        came = Stepped(asked=True, recalled=["forged"])
        lane._channel.send(Done(frame.f_locals["trial"], came), lane._number)


class AsksForAPlan(Embedding):
    """Asks for the decision of a planner that the run has not."""

    def attack(self) -> None:
        lane: Any = self.embedder
        lane._embedder._plan({"decision": "purge", "query": "x", "candidates": [{"text": "y", "written": []}]})


class AsksTheUnanswerable(Embedding):
    def attack(self) -> None:
        self.embedder.embed(["unanswerable"])


class EmbeddingForEver(Embedding):
    def attack(self) -> None:
        for number in range(10**9):
            self.embedder.embed([str(number)])


class EmbedsAtOnce(Embedding):
    """Asks for more vectors in one message than the run gives."""

    def attack(self) -> None:
        lane: Any = self.embedder
        worker: Any = sys.modules["__main__"]
        request = object.__new__(worker.Embed)
        object.__setattr__(request, "texts", ["a"] * 150_000)
        lane._embedder._ask(request, worker.EmbeddedTexts)


class EmbedsMany(Embedding):
    """Asks for more vectors than one message may, as the worker asks."""

    def attack(self) -> None:
        texts = [f"text {number}" for number in range(1000)]
        together, apart = self.embedder.embed(texts), [self.embedder.embed([text])[0] for text in texts[::100]]
        assert (together[::100] == apart).all()


class _Mute(NotImplementedError):
    def __str__(self) -> str:
        raise RuntimeError("no")


class _Unsplit(str):
    __slots__ = ()

    def split(self, *_: Any) -> NoReturn:
        raise RuntimeError("no")


class _SaysUnsplit(Exception):
    def __str__(self) -> str:
        return _Unsplit("x")


class _NamelessKind(type):
    @property
    def __name__(cls) -> NoReturn:
        raise RuntimeError("no")


class _Nameless(Exception, metaclass=_NamelessKind): ...


class RaisesMute(Quiet):
    def attack(self) -> None:
        raise _Mute


class RaisesUnsplit(Quiet):
    def attack(self) -> None:
        raise _SaysUnsplit


class RaisesNameless(Quiet):
    def attack(self) -> None:
        raise _Nameless


class OffersWhatIsNoSet(Quiet):
    not_offered = 5


class _Changed(Quiet):
    """Changes what its worker reports of the next trial."""

    part = "Stepped"

    def attack(self) -> None:
        player: Any = sys.modules["__main__"].Player
        tell, next_trial = player.tell, False

        def changed(self_: Any, told: Any) -> Any:
            nonlocal next_trial
            next_trial = next_trial or type(told).__name__ == "Step"
            came = tell(self_, told)
            if next_trial and type(came).__name__ == self.part:
                self.change(came)
            return came

        player.tell = changed

    def change(self, came: Any) -> None: ...


class BeyondNumbers(_Changed):
    def change(self, came: Any) -> None:
        came.fallbacks = 10**30


class BeyondResidue(_Changed):
    part = "Looked"

    def change(self, came: Any) -> None:
        came.residue = 10**30


class BeyondTime(_Changed):
    def change(self, came: Any) -> None:
        came.mutate_ms = 10**400


class BeforeTime(_Changed):
    def change(self, came: Any) -> None:
        came.mutate_ms = -1.0


class BelowNothing(_Changed):
    def change(self, came: Any) -> None:
        came.fallbacks = -3


class SaysMuch(_Changed):
    """A report that no pipe holds at once, on time."""

    def change(self, came: Any) -> None:
        came.recalled = ["x" * 200_000] * 10


class PrintsForEver(Quiet):
    def attack(self) -> None:
        while True:
            os.write(2, b"x" * (1 << 20))
            time.sleep(0.001)


class BeyondText(_Changed):
    def change(self, came: Any) -> None:
        came.decisions = ["\ud800"]


class EndsItsKeeper(Quiet):
    """Leaves a daemon, then deals with who would end that."""

    signal = signal.SIGKILL

    def __init__(self, pid: str) -> None:
        super().__init__()
        self.pid = Path(pid)

    def attack(self) -> None:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.closerange(0, 64)
                self.pid.write_text(str(os.getpid()))
                time.sleep(60)
            os._exit(0)
        while not self.pid.exists() or not self.pid.read_text():
            time.sleep(0.01)
        os.kill(os.getppid(), self.signal)
        time.sleep(0.5)


class StopsItsKeeper(EndsItsKeeper):
    signal = signal.SIGSTOP
