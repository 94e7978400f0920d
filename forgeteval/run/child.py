"""The process that a store runs in by itself: it builds the store, does what it is told, and sends what came of it.

One JSON object a line, {"KIND": {...}}. What the store prints goes to files: standard input and output here are the
messages' alone.

On Linux these are two processes: the store is in the second, which sees no other process. The first ends with it, and
ends all that the store has started, daemons too.

    parent: Build                                  child: Wanted, then Built
    parent: Offered
    parent: Tell                                   child: Done
    While that is being done, any number of times: child: Embed or Plan
    parent: Vectors or Decision
"""

import base64
import io
import json
import mmap
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np

from forgeteval.embed.embedder import Vectors as Array
from forgeteval.embed.embedder import check_texts
from forgeteval.errors import UserError
from forgeteval.json_records import fields_of, from_json
from forgeteval.planners.protocol import PlannerUnavailable, Shown
from forgeteval.planners.remote import RemotePlanner
from forgeteval.run.confinement import confine
from forgeteval.run.descendants import adopt_orphans, end_as, end_descendants, wait_for
from forgeteval.run.raised import describe, traced
from forgeteval.run.replay import Look, Looked, Player, ReplayOptions, Step, Stepped
from forgeteval.run.storable import check_came, check_storable
from forgeteval.stores.contract import Adapter
from forgeteval.stores.given import build_store, find_store, wants_vectors
from forgeteval.stores.hook import HookedAdapter, WhenUnsure

_SECONDS_BETWEEN_LOOKS = 0.5
MARK_BYTES = 64
"""Length of the file that says which method of the store is being called."""


@dataclass(frozen=True, slots=True)
class Build:
    """What to build, and where what it prints goes.

    Attributes:
        store: module:Class.
        shown: how many memories the parent's planner is shown; None where it has none.
        unsure: what happens where that planner is not sure.
        output: file that takes the store's standard output.
        mark: file of MARK_BYTES with the name of the method that is being called.
        keys: environment variables of the parent that the store must not see.
    """

    store: str
    policies: dict[str, str]
    options: ReplayOptions
    shown: Shown | None
    unsure: WhenUnsure
    output: str
    mark: str
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """The store's constructor asks for an embedder."""


@dataclass(frozen=True, slots=True)
class Offered:
    """The parent has one, with vectors of this length."""

    dim: int


@dataclass(frozen=True, slots=True)
class Built:
    """Why the store could not be built, if so.

    Attributes:
        mistake: of whoever asks for it, in one line.
        error, traceback: what the store raised.
    """

    mistake: str | None = None
    error: str | None = None
    traceback: str | None = None


@dataclass(frozen=True, slots=True)
class Tell:
    """A part of a trial; another number of the trial begins an empty store."""

    trial: str
    told: Step | Look


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it; ValueError where no file could hold it, or a number or a time is negative."""

    trial: str
    came: Stepped | Looked

    def __post_init__(self) -> None:
        check_came(self.came)


MOST_TEXTS = 256
"""Of one request for vectors, so that the parent sees the time limit between two."""


@dataclass(frozen=True, slots=True)
class Embed:
    """Texts whose vectors the store wants; ValueError for what no tokenizer takes, and for more than `MOST_TEXTS`."""

    texts: list[str]

    def __post_init__(self) -> None:
        check_storable(self.texts)
        if len(self.texts) > MOST_TEXTS:
            raise ValueError(f"{len(self.texts)} texts are more than {MOST_TEXTS}")


@dataclass(frozen=True, slots=True)
class Vectors:
    """Their vectors, float32 of shape (texts, dim), as base64; or why there are none."""

    vectors: str = ""
    mistake: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A decision that the parent's planner is asked for; see `forgeteval.planners.remote`."""

    wanted: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Decision:
    """What it decided, or why it could not."""

    decided: dict[str, Any] | None
    unavailable: str = ""


Message = Build | Wanted | Offered | Built | Tell | Done | Embed | Vectors | Plan | Decision
_KINDS: dict[str, type[Message]] = {
    kind.__name__: kind for kind in (Build, Wanted, Offered, Built, Tell, Done, Embed, Vectors, Plan, Decision)
}
M = TypeVar("M", bound=Message)


def encode(message: Message) -> bytes:
    """A message as a line."""
    return json.dumps({type(message).__name__: message}, default=fields_of).encode() + b"\n"


def decode(line: bytes) -> Message:
    """The message of a line; ValueError where it is none."""
    try:
        ((name, content),) = json.loads(line).items()
        return from_json(_KINDS[name], content)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise ValueError(f"no message: {line[:60]!r}") from None


class _Channel:
    """The messages to and from the parent; threads of a store may ask at once."""

    def __init__(self, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        self._sending, self._asking, self._reading = threading.Lock(), threading.Lock(), threading.Lock()
        self._process, self._kept = os.getpid(), dict[type[object], Message]()
        self._lost = False

    def send(self, message: Message) -> None:
        line = encode(message)
        self._check_process()
        with self._sending:
            self._outgoing.write(line)
            self._outgoing.flush()

    def ask(self, message: Message, kind: type[M]) -> M:
        """The parent's answer, one question after the other."""
        with self._asking:
            self.send(message)
            try:
                return self.receive(kind)
            except BaseException:
                # An answer that nobody waited for would be taken for that of the next question.
                self._lost = True
                raise

    def receive(self, kind: type[M]) -> M:
        """The next message of this kind; EOFError once the parent is gone, or an answer was not waited for."""
        while True:
            with self._reading:
                message = self._kept.pop(kind, None) or self._read()
                if isinstance(message, kind):
                    return message
                # Of another thread: the trial's next part, or the answer to what a thread of the store asked.
                self._kept[type(message)] = message

    def _check_process(self) -> None:
        """Raise EOFError in a copy of this process that the store forked and let come back here."""
        if os.getpid() != self._process:
            raise EOFError("the messages are those of another process")

    def _read(self) -> Message:
        self._check_process()
        line = b"" if self._lost else self._incoming.readline()
        if not line:
            raise EOFError("the parent process is gone")
        return decode(line)


class _RemoteEmbedder:
    """The parent's embedder."""

    def __init__(self, channel: _Channel, dim: int) -> None:
        self._channel, self.dim = channel, dim

    def embed(self, texts: Sequence[str]) -> Array:
        """Unit vectors of `texts`, shape (n, dim)."""
        check_texts(texts)
        wanted = list(texts)
        parts = [self._part(wanted[at : at + MOST_TEXTS]) for at in range(0, len(wanted), MOST_TEXTS)]
        return np.concatenate(parts) if parts else np.empty((0, self.dim), np.float32)

    def _part(self, texts: list[str]) -> Array:
        answer = self._channel.ask(Embed(texts), Vectors)
        if answer.mistake is not None:
            raise UserError(answer.mistake)
        return np.frombuffer(base64.b64decode(answer.vectors), dtype="<f4").reshape(-1, self.dim).astype(np.float32)


def main() -> None:
    """Serve one parent until it closes the channel, or is gone."""
    _keep()
    unconfined = confine()
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    channel = _Channel(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
    build = channel.receive(Build)
    if build.keys and unconfined is not None:
        named = " and ".join(build.keys)
        channel.send(Built(f"it could read the API key in {named}: {unconfined}; unset it, or run on another kernel"))
        return
    _redirect(build.output)
    adapter = _built(build, channel)
    if adapter is not None:
        try:
            _serve(channel, adapter, build.options)
        except EOFError:
            adapter.close()


def _keep() -> None:
    """Let a child of this process go on from here; this process ends with it, and ends all that it leaves."""
    if sys.platform != "linux":
        return
    parent = os.getppid()
    adopt_orphans()
    child = os.fork()
    if child == 0:
        os.setsid()
        return
    # Whatever this process held open, the parent takes for the store's.
    for descriptor in (0, 1):
        os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
    signal.signal(signal.SIGTERM, lambda *_: _end_all())
    threading.Thread(target=_end_all_with, args=(parent,), daemon=True).start()
    code = wait_for(child)
    end_descendants()
    end_as(code)


def _end_all() -> None:
    end_descendants()
    os._exit(1)


def _end_all_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    _end_all()


def _end_with(parent: int) -> None:
    """End once this process has another parent than that one, which then was killed; Windows never tells so."""
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)


def _serve(channel: _Channel, adapter: Adapter, options: ReplayOptions) -> None:
    """Do what the parent tells; EOFError once it is gone."""
    trial, player = "", Player(adapter, options)
    while True:
        tell = channel.receive(Tell)
        if tell.trial != trial:
            trial, player = tell.trial, Player(adapter, options)
        came = player.tell(tell.told)
        try:
            channel.send(Done(trial, came))
        except (TypeError, ValueError) as error:
            channel.send(Done(trial, type(came)(error=describe(error))))


def _redirect(output: str) -> None:
    """Let what the store prints go to a file, and let it find nothing to read."""
    sys.stdout.flush()
    taken = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(taken, 1)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)


def _built(build: Build, channel: _Channel) -> Adapter | None:
    """The store; None where it cannot be built, which the parent is told."""
    mark = _marking(Path(build.mark))
    try:
        store = find_store(build.store)
        embedder = None
        if wants_vectors(store):
            embedder = _RemoteEmbedder(channel, channel.ask(Wanted(), Offered).dim)
        adapter = build_store(store, build.policies, embedder, mark)
        if build.shown is not None:
            planner = RemotePlanner(lambda wanted: _decided(channel, wanted), build.shown)
            adapter = HookedAdapter(adapter, planner, unsure=build.unsure)
    except (UserError, NotImplementedError) as error:
        channel.send(Built(mistake=str(error)))
        return None
    except BaseException as error:  # noqa: BLE001 - whatever a measured system raises is its result, SystemExit too
        channel.send(Built(error=describe(error), traceback=traced(error)))
        return None
    channel.send(Built())
    return adapter


def _decided(channel: _Channel, wanted: dict[str, Any]) -> Mapping[str, Any]:
    decision = channel.ask(Plan(wanted), Decision)
    if decision.decided is None:
        raise PlannerUnavailable(decision.unavailable)
    return decision.decided


def _marking(path: Path) -> Any:
    """What writes the name of a method where the parent can read it, even of a process that no longer answers."""
    with path.open("r+b") as stream:
        shared = mmap.mmap(stream.fileno(), MARK_BYTES)

    def mark(method: str) -> None:
        shared[:] = method.encode()[:MARK_BYTES].ljust(MARK_BYTES, b"\0")

    return mark
