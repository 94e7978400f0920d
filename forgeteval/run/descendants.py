"""The processes that a process has started, directly or not, daemons among them; only Linux tells them all.

A daemon leaves its process group and its session, and its parent ends at once. What cannot be left is a line of
descent: the orphans of a process that has called `adopt_orphans` become its own children.
"""

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_PROCESSES = Path("/proc")
_ENDING_S = 5.0
"""How long killed processes may take to be gone: one that waits for a disk is not gone at once."""


def adopt_orphans() -> None:
    """Make this process the parent of every descendant whose own parent ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_as(code: int) -> None:
    """End this process as a child ended: with its exit code, or by its signal where that is negative."""
    if code < 0:
        import resource  # Windows has none, and no signal ends a process there

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def signal_name(number: int) -> str:
    """SIGKILL for 9; the number itself for a real-time signal, of which Python knows no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def wait_for(child: int) -> int:
    """Wait until a child has ended, and bury adopted ones meanwhile; its exit code, negative for a signal."""
    while True:
        pid, status = os.wait()
        if pid == child:
            return os.waitstatus_to_exitcode(status)


def end_descendants(spared: str = "", patience_s: float = 0.0) -> None:
    """Kill every descendant, until none is left.

    Args:
        spared: how a module's name ends; the processes that run it, and theirs, are given time to end by themselves.
        patience_s: how much.
    """
    start = time.monotonic()
    while (now := time.monotonic()) < start + patience_s + _ENDING_S:
        _bury()
        children = _children()
        if os.getpid() not in children:
            return
        for process in _descendants(os.getpid(), children, spared if now < start + patience_s else ""):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.02)


def children() -> set[int]:
    """The processes that this one has started or adopted."""
    return {*_children().get(os.getpid(), ())}


def end_adopted(spared: Collection[int]) -> None:
    """Kill this process's children of other sessions but for some, and whatever those have started, until none is left.

    What a worker starts cannot come back to the session of this process.
    """
    start = time.monotonic()
    while time.monotonic() < start + _ENDING_S:
        by_parent = _children()
        adopted = [child for child in by_parent.get(os.getpid(), ()) if child not in spared and _left_session(child)]
        if not adopted:
            return
        for child in adopted:
            for process in (child, *_descendants(child, by_parent, "")):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            # By its number: the ends of other children are for those to note who started them.
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)
        time.sleep(0.02)


@contextlib.contextmanager
def ended_orphans() -> Iterator[None]:
    """Adopt orphans, and at the end of the block kill those of them that a store has left which ended its own keeper.

    For a program whose processes are all its own: another's children in other sessions would be taken for orphans.
    """
    before = children()
    adopt_orphans()
    try:
        yield
    finally:
        end_adopted(before)


def _left_session(process: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        return os.getsid(process) != os.getsid(0)
    return False


def _descendants(process: int, children: Mapping[int, Sequence[int]], spared: str) -> Iterator[int]:
    for child in children.get(process, ()):
        if not (spared and any(word.endswith(spared.encode()) for word in _command(child))):
            yield child
            yield from _descendants(child, children, spared)


def _bury() -> None:
    """Take note of children that have ended, so that they are processes no longer."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue


def _children() -> dict[int, list[int]]:
    """The processes by parent; none where the system does not tell."""
    found: dict[int, list[int]] = {}
    for entry in _PROCESSES.glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # "PID (NAME) STATE PARENT …", where the name may hold anything.
            parent = entry.read_bytes().rpartition(b")")[2].split()[1]
            found.setdefault(int(parent), []).append(int(entry.parent.name))
    return found


def _command(process: int) -> Sequence[bytes]:
    with contextlib.suppress(OSError):
        return Path(_PROCESSES, str(process), "cmdline").read_bytes().split(b"\0")
    return ()
