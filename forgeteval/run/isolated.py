"""A store in a process of its own: started, told trials within a time limit, ended, started again where it breaks."""

import base64
import contextlib
import os
import queue
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from forgeteval.cases.history import History
from forgeteval.embed.embedder import Embedder
from forgeteval.errors import ENDS_A_RUN, RAISED_BY_OTHERS, UserError
from forgeteval.planners.protocol import Planner, PlannerUnavailable, shown_to
from forgeteval.planners.remote import answer, check_message
from forgeteval.run.child import (
    MARK_BYTES,
    Build,
    Built,
    Decision,
    Done,
    Embed,
    Message,
    Offered,
    Plan,
    Tell,
    Vectors,
    Wanted,
    decode,
    encode,
)
from forgeteval.run.deadline import Deadline
from forgeteval.run.descendants import signal_name
from forgeteval.run.raised import describe
from forgeteval.run.replay import Look, Looked, Replay, ReplayOptions, Step, Stepped, play_through
from forgeteval.stores.hook import WhenUnsure

_MOST_BYTES = 64 << 20
"""How long a message of the child may be."""
_CLOSING_S = 5.0
"""How long a child may take to end once its input is closed."""
_LAST_WORDS = 64 << 10
"""Bytes at the end of what it printed among which its last line is looked for."""
_MOST_PRINTED = 16 << 20
"""Bytes of what a child printed that are looked at."""
_FIRST_LETTERS, _FIRST_BYTES = 100, 400
"""What is kept of its first line."""
_MOST_WAITING = 4
"""Messages of a child that are held until they are asked for."""
_ENDING_S = 10.0
"""How long the child may take to end what the store has started."""
_LOOKING_S = 0.5
"""How often it is looked whether a child that nobody listens to was ended."""

_START = "import sys; sys.path[:], sys.argv[1:] = sys.argv[1:], []; from forgeteval.run.child import main; main()"
"""Lets the child find the modules that its parent finds: `-m` has it look into the current folder first, where a file
of the user's may be called `numpy.py` or `typing.py`."""
_SAME_ORDER = {"PYTHONHASHSEED": "0"}
"""Lets a store that walks through sets do the same in each run, unless the user has set another seed."""

_HIDDEN = (
    "which a store does not get; if it needs one of its own, give the model's in another variable, by --key-env "
    "(api_key_env)"
)


class StoreBroke(Exception):
    """The store's process ended, hung or sent what it should not; the message says in which method."""


class CannotBuild(Exception):
    """The store's constructor raised."""

    def __init__(self, error: str, traceback: str) -> None:
        super().__init__(error)
        self.traceback = traceback


class IsolatedStore:
    """A store in a child process; a context manager that ends it.

    Args:
        store: module:Class.
        embedder: makes one, for a store whose constructor asks for it.
        planner: decides the mutations, in this process; None where the policies do.
        unsure: what happens where it is not sure.
        start_s: seconds that the store may take to be built.
        without: environment variables that the child does not get, such as the API key of a planner's model.

    Raises:
        UserError: where there is no such store, or it lacks a method.
        CannotBuild: where its constructor raises.
        StoreBroke: where its process ends or hangs before it is built.
    """

    def __init__(
        self,
        store: str,
        policies: Mapping[str, str],
        options: ReplayOptions,
        embedder: Callable[[], Embedder] | None = None,
        planner: Planner | None = None,
        unsure: WhenUnsure = "policy",
        start_s: float = 120.0,
        without: tuple[str, ...] = (),
    ) -> None:
        self._embedder, self._planner, self._options = embedder, planner, options
        self._start_s, self._without = start_s, without
        shown = None if planner is None else shown_to(planner)
        self._build = Build(store, dict(policies), options, shown, unsure, output="", mark="", keys=without)
        self._child: _Child | None = None
        self._printed = Printed()

    def __enter__(self) -> "IsolatedStore":
        try:
            self._started()
        except BaseException as error:
            self.__exit__(type(error))
            raise
        return self

    def __exit__(self, raised: type[BaseException] | None = None, *_: object) -> None:
        if raised is not None and self._child is not None:
            self._child.kill()
        self._end()

    def replay(self, history: History, seconds: float) -> Replay:
        """Replay a history; a process that breaks is the replay's error, and another one does the next.

        Args:
            seconds: that the whole history may take.
        """
        try:
            child = self._started()
            replayed = play_through(_Trial(self, child, Deadline(seconds)), history, self._options)
            replayed.error = replayed.error and self._explained(replayed.error)
            return replayed
        except UserError as error:
            self._end()
            return Replay(error=f"its process cannot be built again: {error}")
        except (StoreBroke, CannotBuild, ValueError) as error:
            if self._child is not None and not isinstance(error, CannotBuild):
                self._child.kill()
            self._end()
            return Replay(error=str(error))

    def printed(self) -> "Printed":
        """What the store has written to standard output, as far as it is looked at."""
        return self._printed if self._child is None else self._printed + self._child.files.printed()

    def _started(self) -> "_Child":
        if self._child is not None:
            return self._child
        self._child = child = _Child(self._without)
        child.send(replace(self._build, output=str(child.files.output), mark=str(child.files.mark)))
        deadline = Deadline(self._start_s)
        while isinstance(built := child.receive(deadline), Wanted | Embed):
            self._reply(child, built, deadline)
        if not isinstance(built, Built):
            raise StoreBroke("its process sent what nobody asked for")
        if built.mistake is not None:
            raise UserError(built.mistake)
        if built.error is not None:
            raise CannotBuild(self._explained(built.error), built.traceback or "")
        return child

    def _explained(self, error: str) -> str:
        """What the store raised; where that names a variable that was kept from it, why it lacks that."""
        kept = [name for name in self._without if name and name in os.environ and name in error]
        return f"{error} ({kept[0]} is the model's key, {_HIDDEN})" if kept else error

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._printed = self.printed()
            self._child.files.remove()
            self._child = None

    def _reply(self, child: "_Child", request: Message, deadline: Deadline) -> None:
        """Answer what the store asks for; the time that this takes is not the store's."""
        before = time.monotonic()
        if isinstance(request, Wanted) and self._embedder is not None:
            child.send(Offered(self._embedder().dim))
        elif isinstance(request, Embed) and self._embedder is not None:
            child.send(_vectors(self._embedder(), request.texts))
        elif isinstance(request, Plan) and self._planner is not None:
            child.send(_decision(self._planner, request.wanted))
        else:
            raise StoreBroke("its process sent what nobody asked for")
        deadline.postpone(time.monotonic() - before)


def _vectors(embedder: Embedder, texts: list[str]) -> Vectors:
    try:
        vectors = np.ascontiguousarray(embedder.embed(texts), dtype="<f4")
    except UserError as error:
        return Vectors(mistake=str(error))
    except RAISED_BY_OTHERS as error:
        return Vectors(mistake=f"embedder: {describe(error)}")
    return Vectors(base64.b64encode(vectors.tobytes()).decode())


def _decision(planner: Planner, wanted: dict[str, Any]) -> Decision:
    check_message(wanted)
    try:
        return Decision(answer(planner, wanted))
    except PlannerUnavailable as error:
        return Decision(None, str(error))
    except ENDS_A_RUN:
        raise
    except BaseException as error:  # noqa: BLE001 - see `ENDS_A_RUN`
        return Decision(None, f"{type(planner).__name__}.{wanted['decision']} raised {describe(error)}")


class _Trial:
    """Passes on what a conductor tells to the child; see `forgeteval.run.replay.Play`."""

    def __init__(self, store: IsolatedStore, child: "_Child", deadline: Deadline) -> None:
        self._store, self._child, self._deadline = store, child, deadline
        self._number = secrets.token_hex(8)

    def tell(self, told: Step | Look) -> Stepped | Looked:
        self._child.send(Tell(self._number, told))
        while True:
            message = self._child.receive(self._deadline)
            if not isinstance(message, Done):
                self._store._reply(self._child, message, self._deadline)
                continue
            expected = Stepped if isinstance(told, Step) else Looked
            if message.trial != self._number or not isinstance(message.came, expected):
                raise StoreBroke("its process sent what belongs to another trial")
            return message.came


@dataclass(frozen=True, slots=True)
class Printed:
    """How many lines were written, and the beginning of the first."""

    lines: int = 0
    first: str = ""

    def __add__(self, later: "Printed") -> "Printed":
        return Printed(self.lines + later.lines, self.first if self.lines else later.first)


class _Files:
    """What a child writes beside its messages, held open here: the store may do with the files what it likes."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="forgeteval-"))
        self.output, self.mark = self._folder / "stdout", self._folder / "method"
        self.mark.write_bytes(bytes(MARK_BYTES))
        self.errors = (self._folder / "stderr").open("a+b")
        self._printed, self._marked = self.output.open("a+b"), self.mark.open("rb")

    def method(self) -> str:
        """The method of the store that is being called."""
        self._marked.seek(0)
        return self._marked.read(MARK_BYTES).rstrip(b"\0").decode(errors="replace") or "the import of its module"

    def printed(self) -> Printed:
        """What it wrote to standard output."""
        self._printed.seek(0)
        content = self._printed.read(_MOST_PRINTED)
        first = content[:_FIRST_BYTES].partition(b"\n")[0].decode("utf-8", errors="replace")
        return Printed(content.count(b"\n") + (content[-1:] not in (b"", b"\n")), first[:_FIRST_LETTERS])

    def last_words(self) -> str:
        """The last line of its standard error."""
        self.errors.seek(max(0, self.errors.seek(0, os.SEEK_END) - _LAST_WORDS))
        lines = self.errors.read(_LAST_WORDS).decode("utf-8", errors="replace").splitlines()
        said = [line.strip() for line in lines if line.strip()]
        return f"; it said last: {said[-1][:200]}" if said else ""

    def remove(self) -> None:
        """Close and remove them."""
        for stream in (self.errors, self._printed, self._marked):
            stream.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class _Child:
    """The process, and the messages to and from it."""

    def __init__(self, without: tuple[str, ...]) -> None:
        self.files = _Files()
        self._incoming: queue.Queue[bytes] = queue.Queue(_MOST_WAITING)
        self._outgoing: queue.Queue[bytes] = queue.Queue()
        self._ended = threading.Event()
        given = {name: value for name, value in os.environ.items() if name not in without}
        environment = _SAME_ORDER | given
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, *(entry for entry in sys.path if isinstance(entry, str))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.files.errors,
            env=environment,
            start_new_session=True,
        )
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._write, daemon=True).start()

    def send(self, message: Message) -> None:
        """Have it written, without waiting for a child that does not read."""
        self._outgoing.put(encode(message))

    def receive(self, deadline: Deadline) -> Message:
        """The next message.

        Raises:
            StoreBroke: where none comes in time, the process ended, or sent what is none.
        """
        try:
            line = self._incoming.get(timeout=deadline.left())
        except queue.Empty:
            self.kill()
            raise StoreBroke(f"it hung for {deadline.seconds:g} s in {self.files.method()}") from None
        if not line:
            raise self._death()
        try:
            return decode(line)
        except ValueError:
            raise StoreBroke(f"its process sent what nobody asked for in {self.files.method()}") from None

    def end(self) -> None:
        """Close its input, give it a moment to end, then end it and all that it started."""
        self._outgoing.put(b"")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_CLOSING_S)
        self.kill()

    def kill(self) -> None:
        """End it, and what it started."""
        self._ended.set()
        if sys.platform == "linux":
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_ENDING_S)
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            while line := stream.readline(_MOST_BYTES):
                self._put(line)
        self._put(b"")

    def _put(self, line: bytes) -> None:
        while not self._ended.is_set():
            with contextlib.suppress(queue.Full):
                self._incoming.put(line, timeout=_LOOKING_S)
                return

    def _write(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError), self._process.stdin as stream:
            while line := self._outgoing.get():
                stream.write(line)
                stream.flush()

    def _death(self) -> StoreBroke:
        try:
            code = self._process.wait(_CLOSING_S)
        except subprocess.TimeoutExpired:
            self.kill()
            return StoreBroke(f"its process closed the channel in {self.files.method()}{self.files.last_words()}")
        how = f"exited with code {code}" if code >= 0 else f"was ended by {signal_name(-code)}"
        return StoreBroke(f"its process {how} in {self.files.method()}{self.files.last_words()}")
