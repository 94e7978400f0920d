"""Systems that break in the ways a third-party package can. They run inside workers: nothing but lethe is imported.

A fact that starts with "!" is an order, `!VERB PATH`; all but `!count`, `!pid` and `!child` are obeyed only while the
file PATH exists, so that a test can repair the system between two runs.
"""

import contextlib
import importlib
import inspect
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Hit, Services


class Obedient:
    """A list of memories, ranked by shared words; every mutation removes the best one. Obeys orders in facts."""

    def __init__(self) -> None:
        self.memories: list[str] = []

    def reset(self) -> None:
        self.memories = []

    def inscribe(self, texts: Sequence[str]) -> None:
        for text in texts:
            if text.startswith("!"):
                obey(*text[1:].split())
            else:
                self.memories.append(text)

    def recall_texts(self, query: str, k: int) -> list[str]:
        words = set(query.lower().split())
        return sorted(self.memories, key=lambda memory: -len(words & set(memory.lower().split())))[:k]

    def supersede(self, query: str, text: str) -> None:
        self.purge(query)
        self.memories.append(text)

    def release(self, query: str) -> None:
        self.purge(query)

    def purge(self, query: str) -> None:
        for memory in self.recall_texts(query, 1):
            self.memories.remove(memory)

    def close(self) -> None: ...


class Prying(Obedient):
    """Recalls the environment variables of a name that any process it can read was started with, by itself and by a
    program that it starts."""

    def recall_texts(self, query: str, k: int) -> list[str]:
        looking = [sys.executable, "-c", PRYING, query]
        return subprocess.run(looking, check=True, capture_output=True, text=True).stdout.split() + pry(query)


class FirstToEnd(Obedient):
    """Recalls how soon the kernel would end it, were there no memory left: 1000 is first."""

    def recall_texts(self, query: str, k: int) -> list[str]:
        return [Path("/proc/self/oom_score_adj").read_text()]


def pry(name: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            entries = path.read_bytes().split(b"\0")
            found += [entry.decode() for entry in entries if entry.startswith(f"{name}=".encode())]
    return found


PRYING = f"""
import contextlib, sys
from pathlib import Path
{inspect.getsource(pry)}
print(*pry(sys.argv[1]))
"""


def obey(verb: str, path: str) -> None:
    if verb in _ALWAYS:
        _ALWAYS[verb](Path(path))
    elif Path(path).exists():
        _FAULTS[verb]()


def _count(path: Path) -> None:
    with path.open("a") as stream:
        stream.write("ran\n")


def _child(path: Path) -> None:
    path.write_text(str(subprocess.Popen(["sleep", "300"]).pid))


def start_daemon(path: Path) -> None:
    """Start a daemon as daemons start: in a session of its own, its parent gone, without files of its parent's."""
    code = (
        "import os, sys, time\n"
        "if os.fork(): os._exit(0)\n"
        "os.setsid()\n"
        "if os.fork(): os._exit(0)\n"
        "os.closerange(0, 256)\n"
        "with open(sys.argv[1], 'w') as stream: stream.write(str(os.getpid()))\n"
        "time.sleep(300)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    while not (path.exists() and path.read_text()):
        time.sleep(0.01)


def _raise(kind: type[BaseException]) -> Callable[[], None]:
    def fail() -> None:
        raise kind("the shelf fell down")

    return fail


class _Mute(Exception):
    def __str__(self) -> str:
        raise SystemExit(5)


def _say(*parts: bytes, pause_s: float = 0.0) -> Callable[[], None]:
    """Write to the channel of the worker, over and over, between its own messages."""

    def say() -> None:
        while True:
            for part in parts:
                os.write(int(sys.argv[1]), part)
                time.sleep(pause_s)

    return say


def _hang() -> None:
    time.sleep(600)


def _exit_once(path: Path) -> None:
    if path.exists():
        path.unlink()
        os._exit(3)


def _say_and_exit() -> None:
    print("the pipes have burst", file=sys.stderr, flush=True)
    os._exit(3)


def _fail() -> None:
    raise RuntimeError("the shelf\n fell down")


def _fail_unprintably() -> None:
    raise RuntimeError("no such shelf: caf\udce9.db")


def _refuse() -> None:
    raise NotImplementedError("no shelf for that")


def _close_channel_and_hang() -> None:
    os.closerange(3, 256)
    time.sleep(600)


def _stop_soon() -> None:
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGSTOP)).start()


_ALWAYS: dict[str, Callable[[Path], object]] = {
    "count": _count,
    "pid": lambda path: path.write_text(str(os.getpid())),
    "child": _child,
    "daemon": start_daemon,
    "exit_once": _exit_once,
}
_FAULTS: dict[str, Callable[[], object]] = {
    "exit": lambda: os._exit(3),
    "say_and_exit": _say_and_exit,
    "system_exit": lambda: sys.exit(4),
    "keyboard_interrupt": _raise(KeyboardInterrupt),
    "generator_exit": _raise(GeneratorExit),
    "base_exception": _raise(BaseException),
    "mute": _raise(_Mute),
    "babble": _say(b"x" * (1 << 20)),
    "drip": _say(b"x", pause_s=0.001),
    "ask_for_ever": _say(b'{"Embed": {"texts": ["x"]}, "lane": 0}\n', pause_s=0.01),
    "no_json": _say(b"garbage\n"),
    "no_message": _say(b'{"Nothing": {}, "lane": 0}\n'),
    "no_lane": _say(b'{"Done": {"trial": "0", "came": {"mutated": 1}}, "lane": 7}\n'),
    "forged": _say(b'{"Done": {"trial": "0", "came": {"mutated": 1, "asked": true, "recalled": ["x"]}}, "lane": 0}\n'),
    "no_texts": _say(b'{"Done": {"trial": "0", "came": {"mutated": 1, "recalled": [1]}}, "lane": 0}\n'),
    "no_depth": _say(b"[" * 100_000 + b"\n"),
    "no_answer": _say(b'{"Built": {"failure": null}, "lane": 0}\n'),
    "sigkill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "sigrt": lambda: os.kill(os.getpid(), signal.SIGRTMIN + 6),
    "fork": lambda: os.fork(),
    "hang": _hang,
    "fail": _fail,
    "fail_unprintably": _fail_unprintably,
    "refuse": _refuse,
    "close_channel_and_hang": _close_channel_and_hang,
    "stop_soon": _stop_soon,
}


class Noisy(Obedient):
    """Writes to standard output at every turn: lines, halves of lines, bytes that are not text, a false answer."""

    def __init__(self) -> None:
        super().__init__()
        print("NOISE-AT-START")
        print("NOISE-WITHOUT-NEWLINE", end="", flush=True)
        os.write(1, b'\xff\xfe\x00\x80\n{"done": {"verdict": "pass"}}\n{"ready": fal')

    def reset(self) -> None:
        super().reset()
        os.write(1, b"NOISE-BETWEEN-CASES \x00\xc3\x28\n")
        threading.Timer(0.01, lambda: print("NOISE-FROM-A-THREAD", flush=True)).start()

    def inscribe(self, texts: Sequence[str]) -> None:
        subprocess.run(["echo", "NOISE-FROM-A-CHILD"], check=True, stdin=subprocess.DEVNULL)
        super().inscribe(texts)

    def recall_texts(self, query: str, k: int) -> list[str]:
        print("NOISE-AT-RECALL", end="")
        return super().recall_texts(query, k)

    def close(self) -> None:
        print("NOISE-AT-CLOSE")


class Hanging(Obedient):
    """Never comes up."""

    def __init__(self) -> None:
        super().__init__()
        _hang()


class DyingAtStart(Obedient):
    def __init__(self) -> None:
        super().__init__()
        _say_and_exit()


class FailingAtStart(Obedient):
    def __init__(self) -> None:
        super().__init__()
        raise RuntimeError("no shelf to put anything on\nbuy one")


class LackingAtStart(Obedient):
    def __init__(self) -> None:
        super().__init__()
        self.shelf  # type: ignore[attr-defined]  # noqa: B018 - a mistake in a constructor


class MissingPackage(Obedient):
    def __init__(self) -> None:
        super().__init__()
        importlib.import_module("a_package_nobody_installed")


class TellingItsPid(Hanging):
    """Never comes up, but says which process it is, in a file of the folder above its own."""

    def __init__(self, pid: str) -> None:
        Path(pid).write_text(str(os.getpid()))
        super().__init__()


class Recalling(Obedient):
    """Recalls what it is told to, for a question of one word."""

    WHAT: ClassVar[dict[str, Any]] = {
        "number": [5],
        "bytes": [b"x"],
        "nothing": [None],
        "mixed": ["a unicycle", 1.5],
        "text": "a unicycle",
        "none": None,
        "object": [object()],
        "much": ["x" * (70 << 20)],
    }

    def recall_texts(self, query: str, k: int) -> Any:
        return self.WHAT[query] if query in self.WHAT else super().recall_texts(query, k)


class Surroundings(Obedient):
    """Recalls what a worker sees of the machine: environment and working folder."""

    def recall_texts(self, query: str, k: int) -> list[str]:
        seen = {"environment": dict(os.environ), "cwd": str(Path.cwd()), "home": str(Path.home())}
        return [json.dumps(seen)]


class Learning(Obedient):
    """Never forgets, and leaves out what it was asked for directly when it was told the same before, by process or by
    HOME."""

    known: ClassVar[dict[str, list[str]]] = {}

    def reset(self) -> None:
        super().reset()
        self._answered = False

    def recall_texts(self, query: str, k: int) -> list[str]:
        file, told = Path.home() / "learnt.json", "|".join(self.memories)
        known = json.loads(file.read_text()) if file.exists() else self.known
        if self._answered:
            known.setdefault(told, []).append(query.lower())
            file.write_text(json.dumps(known))
            return []
        self._answered = True
        return [text for text in self.memories if not any(asked in text.lower() for asked in known.get(told, []))][:k]

    def purge(self, query: str) -> None: ...


class Embedding(Obedient):
    """Recalls the vectors of the query, which came with the case, and of a text that did not."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__()
        self._embedder = embedder

    def recall_texts(self, query: str, k: int) -> list[str]:
        vectors = self._embedder.embed([query, f"unsent {query}", f"unsent {query}"])
        return [json.dumps(vector.tolist()) for vector in vectors]


class Asking(Obedient):
    """Asks the chat model about each fact."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self._services = services

    def inscribe(self, texts: Sequence[str]) -> None:
        for text in texts:
            message = {"role": "user", "content": text}
            self._ask("chat/completions", {"model": self._services.model, "messages": [message]})
            super().inscribe([text])

    def _ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self._services.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._services.url}/{path}", json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as response:
                answer: dict[str, Any] = json.load(response)
                return answer
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{error.code}: {error.read().decode()}") from error


class AskingInVain(Asking):
    """Asks about each fact and takes no notice of a request that fails."""

    def _ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        with contextlib.suppress(RuntimeError):
            return super()._ask(path, body)
        return {}


class AskingForVectors(Asking):
    """Recalls the query's vector as the gateway gives it."""

    def inscribe(self, texts: Sequence[str]) -> None:
        Obedient.inscribe(self, texts)

    def recall_texts(self, query: str, k: int) -> list[str]:
        answer = self._ask("embeddings", {"model": "any", "input": query})
        return [json.dumps(answer["data"][0]["embedding"])]


class Optional(Obedient):
    def __init__(self, embedder: Embedder, shelves: int = 1) -> None:
        super().__init__()
        self.shelves = shelves


class EmbeddingThenPausing(Embedding):
    def recall_texts(self, query: str, k: int) -> list[str]:
        recalled = super().recall_texts(query, k)
        time.sleep(0.3)
        return recalled


class EmbeddingLateThenHanging(Embedding):
    def recall_texts(self, query: str, k: int) -> list[str]:
        time.sleep(2.0)
        super().recall_texts(query, k)
        _hang()
        return []


class AddAndSearch:
    """A Backend that has no mutation of its own and no delete."""

    def __init__(self) -> None:
        self._inner = Obedient()

    def reset(self) -> None:
        self._inner.reset()

    def add(self, texts: Sequence[str]) -> None:
        self._inner.inscribe(texts)

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(text, text, 1.0) for text in self._inner.recall_texts(query, k)]

    def delete(self, id: str | int) -> None:
        raise NotImplementedError("nothing is ever deleted here")

    def close(self) -> None: ...
