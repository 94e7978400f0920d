"""Processes that a server forks, since importing what they need takes longer than most of them run.

A `ForkServer` is asked by this process; a process that it forked may ask it too (`server_here`), so that all jobs of a
workflow share one server, and its servers in the systems' environments. See `lethe.jobs.fork_server`.

This module is imported in the systems' own environments: nothing is imported here that they do not have.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

(SERVER,) = RUNS_MODULES = ("lethe.jobs.fork_server",)
MOST_BYTES = 1 << 17
MOST_DESCRIPTORS = 16


class NotForked(Exception):
    """No server could fork the process; it has to be started otherwise."""


@dataclass(frozen=True, slots=True)
class Place:
    """A fork server in an environment of its own.

    Attributes:
        python: interpreter of that environment.
        modules: imported by the server, each with what it names in `PRELOADED`.
        environment: variables that the server is started with.
    """

    python: str
    modules: Sequence[str]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Order:
    """What a forked process is to run.

    Attributes:
        program: path of a script, or name of a module.
        arguments: after the numbers of the file descriptors that are passed on.
        environment: all of its variables.
        folder: its working directory.
        session: it leads a session of its own.
        place: another server than the one that is asked.
        processors: those that it may use; the ones of the process that orders it, if not given.
    """

    program: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: str
    session: bool = False
    place: Place | None = None
    processors: Sequence[int] = field(default_factory=lambda: sorted(os.sched_getaffinity(0)))


@dataclass(frozen=True, slots=True)
class Ended:
    """How a forked process ended: exit code, negative for a signal; processor time (seconds) and peak memory (MB) of it
    and of all that it waited for, elsewhere too."""

    code: int
    cpu_s: float = 0.0
    peak_mb: float = 0.0


class ForkedProcess:
    """A forked process, as `subprocess.Popen` would have it."""

    def __init__(self, replies: socket.socket, pid: int, orders: socket.socket) -> None:
        self.pid = pid
        self.ended: Ended | None = None
        self._replies, self._orders = replies, orders

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; the exit code, negative for a signal. Raises subprocess.TimeoutExpired."""
        if self.ended is None:
            self._replies.settimeout(timeout)
            try:
                said = _received(self._replies)
            except TimeoutError as error:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0) from error
            # Whoever ends the server ends what it forked.
            self.ended = Ended(**said) if said else Ended(-9)
            self._replies.close()
            self._charge(self.ended)
        return self.ended.code

    def _charge(self, ended: Ended) -> None:
        """Tell the server that forked this process, if one did, what its waiting was for."""
        charge = {"pid": os.getpid(), "cpu_s": ended.cpu_s, "peak_mb": ended.peak_mb}
        with contextlib.suppress(OSError):
            self._orders.send(json.dumps({"charge": charge}).encode())

    def kill(self) -> None:
        """End it by force, if it has not ended."""
        if self.ended is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, 9)


class ForkServer:
    """The side of a fork server that orders are sent to."""

    def __init__(self, orders: socket.socket, process: "subprocess.Popen[bytes] | None" = None) -> None:
        self._orders, self._process = orders, process

    @classmethod
    def started(cls, python: str, modules: Sequence[str], environment: Mapping[str, str]) -> "ForkServer":
        """Start a server, which ends with this process."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        passed = [theirs.fileno(), ours.fileno()]
        with theirs:
            process = subprocess.Popen(
                [python, "-m", SERVER, *map(str, passed), str(os.getpid()), *modules],
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                pass_fds=passed,
            )
        return cls(ours, process)

    def close(self) -> None:
        """End a server that this process started, and what it forked."""
        self._orders.close()
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def start(
        self, order: Order, streams: Sequence[int], descriptors: Sequence[int] = (), seconds: float | None = None
    ) -> ForkedProcess:
        """Have a process forked.

        Args:
            streams: its standard input, output and error.
            descriptors: passed on; their numbers in the new process are its first arguments.
            seconds: how long that may take, where what is imported first may never end.

        Raises:
            NotForked: where that cannot be done.
            TimeoutError: where it takes longer.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        message = json.dumps(asdict(order)).encode()
        if len(message) > MOST_BYTES:
            raise NotForked
        with theirs:
            try:
                socket.send_fds(self._orders, [message], [theirs.fileno(), *streams, *descriptors])
            except OSError as error:
                ours.close()
                raise NotForked from error
        ours.settimeout(seconds)
        try:
            said = _received(ours)
            if "pid" not in said:
                raise NotForked
        except (NotForked, TimeoutError):
            ours.close()
            raise
        return ForkedProcess(ours, said["pid"], self._orders)


def _received(replies: socket.socket) -> dict[str, Any]:
    try:
        return dict(json.loads(replies.recv(MOST_BYTES) or b"{}"))
    except ConnectionError:
        return {}


def can_fork() -> bool:
    """Whether this system has what fork servers need; Linux has."""
    if sys.platform != "linux":
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return True


_here: list[ForkServer] = []


def server_here() -> ForkServer | None:
    """The server that forked this process and takes orders from it; None where it was started otherwise."""
    return _here[0] if _here else None


def forked_by(orders: socket.socket) -> None:
    """Note in a process that was just forked whom it can ask."""
    _here[:] = [ForkServer(orders)]
