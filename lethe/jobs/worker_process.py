"""The parent's side of a worker: starting it, talking to it within time limits, and ending it with its children."""

import contextlib
import os
import selectors
import shutil
import subprocess
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Generic, TypeVar

from forgeteval.errors import UserError, describe_os_error
from forgeteval.run.deadline import Deadline
from forgeteval.run.descendants import children, end_adopted, signal_name
from forgeteval.run.replay import Look, Looked, Step, Stepped
from lethe.folders import remove_folder
from lethe.jobs.acting import Act, Acted
from lethe.jobs.forks import ForkedProcess
from lethe.jobs.messages import (
    MOST_BYTES,
    Built,
    Came,
    Done,
    Message,
    Reply,
    Request,
    Start,
    Tell,
    decode,
    encode,
)
from lethe.jobs.starting import start_keeper
from lethe.processes import STARTED, STARTING

T = TypeVar("T")
R = TypeVar("R")
Job = tuple[str, Generator[Tell, Came, R]]
"""Where the parent is while a trial runs, for messages; and what the worker is told of it, one after the other."""
_REPLIES: dict[type, type] = {Step: Stepped, Look: Looked, Act: Acted}

_CLOSING_S = 10.0
"""How long a worker may take to close its system before it is killed."""
_KEEPER_S = 15.0
"""How long the keeper of a killed worker may take to end what the worker started."""
_MOST_LOGGED = 64 << 20
"""Bytes that a worker may add to its log; the rest is cut off, within `_LOOKING_S`."""
_LOOKING_S = 1.0
"""How often the log is looked at while a worker is waited for."""
_LAST_WORDS = 64 << 10
"""Bytes at the end of the log among which the last line is looked for."""


class WorkerFailure(UserError):
    """The worker died or hung; the message says where.

    Attributes:
        place: where the parent was when it noticed.
        hung: it took too long, rather than died.
        position: position of the trial that is to blame; None where several ran at once.
    """

    def __init__(self, message: str, place: str, hung: bool = False) -> None:
        super().__init__(message)
        self.place, self.hung = place, hung
        self.position: int | None = None


@contextlib.contextmanager
def started_worker(
    name: str,
    python: Path,
    start: Start,
    seconds: float,
    home: Path,
    log: Path,
    keeps_home: bool = False,
    sandboxed: bool = False,
) -> Iterator["WorkerProcess"]:
    """A worker whose system is built; ended, with its children, when the block ends.

    Args:
        name: of the system, for messages.
        python: interpreter of the system's environment.
        start: the first message, which says what to build.
        seconds: how long that may take.
        home: folder that is its HOME and holds its temporary files; removed at the end.
        log: file that its standard output and standard error are appended to.
        keeps_home: `home` may be there, and is left.
        sandboxed: the system is not trusted; see `lethe.jobs.sandbox`.

    Raises:
        WorkerFailure: where the worker dies or hangs while starting.
        UserError: where it cannot be started, or says that it cannot build its system.
    """
    if not keeps_home:
        remove_folder(home)
    try:
        home.mkdir(parents=True, exist_ok=keeps_home)
        log.parent.mkdir(parents=True, exist_ok=True)
        stream = log.open("ab")
    except OSError as error:
        raise describe_os_error(error, f"writing {error.filename}") from error
    with stream:
        worker = WorkerProcess(name, python, home, stream, sandboxed)
        try:
            worker.start(start, seconds)
            yield worker
        finally:
            worker.end()
            if not keeps_home:
                remove_folder(home)


class WorkerProcess:
    """One worker and its keeper, which ends it; see `lethe.jobs.messages` and `lethe.jobs.keeper`."""

    def __init__(self, name: str, python: Path, home: Path, log: IO[bytes], sandboxed: bool) -> None:
        self._name, self._python, self._home, self._log, self._sandboxed = name, python, home, log, sandboxed
        self._log_start = os.fstat(log.fileno()).st_size
        self._process: subprocess.Popen[bytes] | ForkedProcess | None = None
        self._buffer = bytearray()

    def start(self, message: Start, seconds: float) -> None:
        """Start the process and wait until its system is built."""
        if shutil.which(self._python) is None:
            problem = f"{self._name}: {self._python} cannot be run"
            # The list of its packages tells the workflow that it is built.
            raise UserError(f"{problem}; remove {self._python.parent.parent}.freeze.txt and run again")
        self._others = children()
        (self._reading, writing), (alive, self._alive), (stdin, self._writing) = os.pipe(), os.pipe(), os.pipe()
        try:
            pipes = stdin, (alive, writing)
            of_system = self._python, message.backend, self._home, self._log
            self._process = start_keeper(*of_system, *pipes, self._sandboxed, seconds)
        except OSError as error:
            for descriptor in (self._reading, self._alive, self._writing):
                os.close(descriptor)
            if isinstance(error, TimeoutError):
                raise self._late("while starting", seconds) from error
            raise describe_os_error(error, f"starting {self._name}") from error
        finally:
            for descriptor in (alive, writing, stdin):
                os.close(descriptor)
        os.set_blocking(self._writing, False)
        deadline = Deadline(seconds, "while starting")
        self._send(message, 0, deadline)
        _, built = self._receive(deadline)
        if not isinstance(built, Built):
            raise self._broken("sent what nobody asked for", deadline)
        if built.failure is not None:
            raise UserError(f"{self._name}: {built.failure}; log: {self._log.name}")

    def run(
        self, jobs: Iterable[Job[R]], lanes: int, seconds: float, reply: Callable[[Request], Reply]
    ) -> Iterator[tuple[int, R]]:
        """Run trials on `lanes` lanes at once and yield (position in `jobs`, what its conversation returns) as they
        are done.

        The time that the parent spends on replies is not counted against `seconds` until it is `MOST_REPLYING` times
        that. A result that has come is taken even if this process looks late.

        Args:
            jobs: taken one by one as lanes become free.
            reply: answers what a trial asks the parent.

        Raises:
            WorkerFailure: where the worker dies, or a trial takes longer than `seconds`.
        """
        waiting = enumerate(jobs)
        free, busy, ended = list(range(lanes)), dict[int, _Trial[R]](), list[tuple[int, R]]()
        while True:
            while free and (job := next(waiting, None)) is not None:
                position, (place, conversation) = job
                told, lane = next(conversation), free.pop()
                busy[lane] = _Trial(position, Deadline(seconds, place), conversation, told)
                self._send_to(lane, busy[lane].tell, busy)
            if not busy:
                return
            lane, message = self._talk(busy, lambda: self._result_or_request(busy))
            trial = busy[lane]
            if isinstance(message, Done):
                with _unhurried(busy):
                    goes_on = self._goes_on(trial, message, ended)
                if goes_on:
                    trial.deadline.finish()
                    self._send_to(lane, trial.tell, busy)
                else:
                    del busy[lane]
                    free.append(lane)
                    yield ended.pop()
                continue
            with _unhurried(busy):
                answer = self._answer(reply, message, trial)
            self._send_to(lane, answer, busy)

    def _goes_on(self, trial: "_Trial[R]", done: Done, ended: list[tuple[int, R]]) -> bool:
        """Whether the worker is to be told more of a trial; else what it came to is added to `ended`."""
        expected = _REPLIES[type(trial.tell.told)]
        try:
            if done.trial != trial.tell.trial or not isinstance(done.came, expected):
                raise ValueError("what belongs to another trial")
            trial.tell = trial.conversation.send(done.came)
        except StopIteration as end:
            ended.append((trial.position, end.value))
            return False
        except ValueError as error:
            failure = self._broken(f"sent {error}", trial.deadline)
            failure.position = trial.position
            raise failure from error
        return True

    def _answer(self, reply: Callable[[Request], Reply], message: Request, trial: "_Trial[R]") -> Reply:
        try:
            return reply(message)
        except UserError:
            raise
        except Exception as error:
            failure = self._broken(f"asked for what cannot be given ({type(error).__name__}: {error})", trial.deadline)
            failure.position = trial.position
            raise failure from error

    def _result_or_request(self, busy: Mapping[int, "_Trial[R]"]) -> tuple[int, Done | Request]:
        nearest = _nearest(busy)
        lane, message = self._receive(nearest)
        if lane not in busy or not isinstance(message, Done | Request):
            raise self._broken("sent what nobody asked for", nearest)
        deadline = busy[lane].deadline
        if not isinstance(message, Done) and not deadline.left():
            raise self._hung(deadline)
        return lane, message

    def _send_to(self, lane: int, message: Message, busy: Mapping[int, "_Trial[R]"]) -> None:
        self._talk(busy, lambda: self._send(message, lane, busy[lane].deadline))

    def _talk(self, busy: Mapping[int, "_Trial[R]"], exchange: Callable[[], T]) -> T:
        """Send or receive; a failure learns which trial it is about, where only one can be meant."""
        try:
            return exchange()
        except WorkerFailure as failure:
            meant = [trial.position for trial in busy.values() if trial.deadline.place == failure.place]
            failure.position = meant[0] if failure.hung or len(busy) == 1 else None
            raise

    def end(self) -> None:
        """Close the input, give the worker a moment to close its system, then end it and all that it started."""
        if self._process is None:
            return
        try:
            os.close(self._writing)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=_CLOSING_S)
        finally:
            self._kill()
            with STARTING:
                STARTED.discard(self._process.pid)
                end_adopted(self._others | STARTED)
            os.close(self._reading)
            self._cut_log()

    def _cut_log(self) -> None:
        if os.fstat(self._log.fileno()).st_size > self._log_start + _MOST_LOGGED:
            os.truncate(self._log.fileno(), self._log_start + _MOST_LOGGED)

    def _kill(self) -> None:
        """Have the keeper end the worker and all that it started."""
        assert self._process is not None
        if self._alive >= 0:
            os.close(self._alive)
            self._alive = -1
        try:
            self._process.wait(timeout=_KEEPER_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _send(self, message: Message, lane: int, deadline: Deadline) -> None:
        left = memoryview(encode(message, lane))
        while left:
            if not deadline.left():
                raise self._hung(deadline)
            self._wait(self._writing, selectors.EVENT_WRITE, deadline)
            try:
                left = left[os.write(self._writing, left) :]
            except OSError as error:
                raise self._death(deadline.place) from error

    def _receive(self, deadline: Deadline) -> tuple[int, Message]:
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > MOST_BYTES:
                raise self._broken(f"sent {searched:,} bytes without an end", deadline)
            self._wait(self._reading, selectors.EVENT_READ, deadline)
            chunk = os.read(self._reading, 1 << 20)
            if not chunk:
                raise self._death(deadline.place)
            self._buffer += chunk
            # This process may be what is late, and a pipe holds no long message: the rest is waited for, but once.
            if b"\n" not in chunk and not deadline.left() and not deadline.extend_once():
                raise self._hung(deadline)
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        try:
            return decode(line)
        except ValueError as error:
            raise self._broken(f"sent {error}", deadline) from error

    def _wait(self, descriptor: int, event: int, deadline: Deadline) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, event)
            while not selector.select(min(deadline.left(), _LOOKING_S)):
                self._cut_log()
                if not deadline.left():
                    raise self._hung(deadline)

    def _hung(self, deadline: Deadline) -> WorkerFailure:
        self._kill()
        return self._late(deadline.place, deadline.seconds)

    def _late(self, place: str, seconds: float) -> WorkerFailure:
        return WorkerFailure(f"{self._name}: the worker hung {place} for {seconds:g} s", place, hung=True)

    def _broken(self, what: str, deadline: Deadline) -> WorkerFailure:
        self._kill()
        message = f"{self._name}: the worker {what} {deadline.place}; {self._last_words()}"
        return WorkerFailure(message, deadline.place)

    def _death(self, place: str) -> WorkerFailure:
        assert self._process is not None
        try:
            code = self._process.wait(timeout=_CLOSING_S)
        except subprocess.TimeoutExpired:
            self._kill()
            message = f"{self._name}: the worker stopped answering {place}; {self._last_words()}"
            return WorkerFailure(message, place)
        how = f"signal {signal_name(-code)}" if code < 0 else f"exit code {code}"
        return WorkerFailure(f"{self._name}: the worker died {place} ({how}); {self._last_words()}", place)

    def _last_words(self) -> str:
        with Path(self._log.name).open("rb") as stream:
            stream.seek(max(self._log_start, stream.seek(0, os.SEEK_END) - _LAST_WORDS))
            lines = stream.read(_LAST_WORDS).decode("utf-8", errors="replace").replace("\0", "").split("\n")
        # The job tells its progress in the same file.
        own = f"{self._name} on ", f"{self._name}: "
        spoken = [line.strip() for line in lines if line.strip() and not line.startswith(own)]
        return f"it said last: {spoken[-1][:200]}" if spoken else "it said nothing"


@dataclass(slots=True)
class _Trial(Generic[R]):
    """A trial that a lane is busy with: its position among the jobs, and what the lane was told last."""

    position: int
    deadline: Deadline
    conversation: Generator[Tell, Came, R]
    tell: Tell


def _nearest(busy: Mapping[int, _Trial[R]]) -> Deadline:
    return min((trial.deadline for trial in busy.values()), key=lambda deadline: deadline.left())


@contextlib.contextmanager
def _unhurried(busy: Mapping[int, _Trial[R]]) -> Iterator[None]:
    """Postpone every deadline by the time that the block takes."""
    before = time.monotonic()
    yield
    for trial in busy.values():
        trial.deadline.postpone(time.monotonic() - before)
