"""Program that imports modules once and forks a process for each order: python -m lethe.jobs.fork_server ORDERS ASKING
PARENT MODULE…

Orders come as messages on the socket ORDERS (see `lethe.jobs.forks`); ASKING is its other side, for the processes that
this one forks, or -1 where they are to ask nobody. An order for another place is passed on to a server that this one
starts there. It ends with the process PARENT, and what it forked ends with it.

A process is forked only while this one has a single thread, since another's locks would stay locked in it for ever;
so a server whose modules start threads ends at once.
"""

import atexit
import contextlib
import ctypes
import gc
import importlib
import json
import os
import re
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from forgeteval.run.descendants import adopt_orphans, end_adopted
from lethe.jobs.forks import MOST_BYTES, MOST_DESCRIPTORS, SERVER, Ended, forked_by

_PR_SET_PDEATHSIG = 1
_THREADS = Path("/proc/self/task")
_FORKED_SAFELY = "jemalloc_bg_thd"
"""The thread of an allocator (Arrow's), which sees to its locks itself when the process is forked."""
_ENDING_S = 5.0
"""What a server elsewhere is given to end by itself."""


class _Child:
    """A forked process: who waits for it, and what was charged to it."""

    def __init__(self, pid: int, replies: socket.socket) -> None:
        self.pid, self.replies = pid, replies
        self.watched = os.pidfd_open(pid)
        self.cpu_s = self.peak_mb = 0.0


class Server:
    """Takes orders until its parent ends."""

    def __init__(self, orders: socket.socket, asking: socket.socket | None, parent: int) -> None:
        self._orders, self._asking, self._parent = orders, asking, parent
        self._children = dict[int, _Child]()
        self._elsewhere = dict[str, "_Elsewhere"]()
        self._selector = selectors.DefaultSelector()

    def serve(self) -> None:
        """Take orders until the parent ends."""
        self._selector.register(os.pidfd_open(self._parent), selectors.EVENT_READ)
        self._selector.register(self._orders, selectors.EVENT_READ, self._take)
        while os.getppid() == self._parent:
            ready = [key.data for key, _ in self._selector.select()]
            # What a process says before it ends is heard before its end.
            if self._take in ready:
                self._take()
                continue
            for act in ready:
                if act is None:
                    return
                act()

    def end(self) -> None:
        """End the servers elsewhere, so that their time counts as this one's."""
        for place in self._elsewhere.values():
            place.end()

    def _take(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(
            self._orders, MOST_BYTES, MOST_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
        )
        try:
            order = json.loads(message)
            if "charge" in order:
                self._charge(**order["charge"])
            elif order["place"] is not None:
                self._pass_on(order, message, descriptors)
            else:
                self._fork(order, descriptors)
        finally:
            for descriptor in descriptors:
                with contextlib.suppress(OSError):
                    os.close(descriptor)

    def _charge(self, pid: int, cpu_s: float, peak_mb: float) -> None:
        if child := self._children.get(pid):
            child.cpu_s += cpu_s
            child.peak_mb = max(child.peak_mb, peak_mb)

    def _pass_on(self, order: dict[str, Any], message: bytes, descriptors: Sequence[int]) -> None:
        place = order["place"]
        name = json.dumps([place["python"], place["modules"]])
        there = self._elsewhere.get(name)
        if there is None:
            there = self._elsewhere[name] = _Elsewhere(place, self._asking)
        there.send(json.dumps({**order, "place": None}).encode(), descriptors)

    def _fork(self, order: Mapping[str, Any], descriptors: Sequence[int]) -> None:
        pid = os.fork()
        if not pid:
            self._become(order, descriptors)
        replies = socket.socket(fileno=os.dup(descriptors[0]))
        child = self._children[pid] = _Child(pid, replies)
        self._selector.register(child.watched, selectors.EVENT_READ, lambda: self._bury(child))
        _say(replies, {"pid": pid})

    def _bury(self, child: _Child) -> None:
        _, status, used = os.wait4(child.pid, 0)
        self._selector.unregister(child.watched)
        os.close(child.watched)
        del self._children[child.pid]
        if self._asking is None:
            end_adopted(self._children)
        ended = Ended(
            os.waitstatus_to_exitcode(status),
            child.cpu_s + used.ru_utime + used.ru_stime,
            child.peak_mb + used.ru_maxrss / 1024,
        )
        _say(child.replies, asdict(ended))
        child.replies.close()

    def _become(self, order: Mapping[str, Any], descriptors: Sequence[int]) -> NoReturn:
        """Be the process that was ordered."""
        code = 1
        try:
            self._leave()
            os.close(descriptors[0])
            code = _run(order, descriptors[1:4], list(map(str, descriptors[4:])))
        except BaseException:  # noqa: BLE001 - whatever it is, this process must not go on as the server
            traceback.print_exc()
        finally:
            with contextlib.suppress(BaseException):
                threading._shutdown()  # type: ignore[attr-defined]
                atexit._run_exitfuncs()
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _leave(self) -> None:
        """Give up what is the server's, and end with it."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self._selector.close()
        self._orders.close()
        for child in self._children.values():
            child.replies.close()
            os.close(child.watched)
        for place in self._elsewhere.values():
            place.close()
        if self._asking is not None:
            forked_by(self._asking)
            _end_with_parent()


class _Elsewhere:
    """A server that this one has started in another environment."""

    def __init__(self, place: Mapping[str, Any], asking: socket.socket | None) -> None:
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            passed = [theirs.fileno()]
            self._process = subprocess.Popen(
                [
                    place["python"],
                    "-m",
                    SERVER,
                    str(theirs.fileno()),
                    "-1",
                    str(os.getpid()),
                    *place["modules"],
                ],
                env=place["environment"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=passed,
                start_new_session=True,
            )

    def send(self, message: bytes, descriptors: Sequence[int]) -> None:
        """Pass an order on; where the server has ended, whoever waits for a reply sees that."""
        with contextlib.suppress(OSError):
            socket.send_fds(self._orders, [message], list(descriptors))

    def close(self) -> None:
        self._orders.close()

    def end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            # What it imported has put that signal off.
            self._process.kill()
            self._process.wait()


def _run(order: Mapping[str, Any], streams: Sequence[int], passed: Sequence[str]) -> int:
    """Run what is ordered in this process; its exit code."""
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    if order["session"]:
        os.setsid()
    os.sched_setaffinity(0, order["processors"])
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    # Whatever was imported may have asked for this folder already.
    tempfile.tempdir = None
    program = order["program"]
    sys.argv = [program, *passed, *order["arguments"]]
    try:
        if Path(program).is_absolute():
            runpy.run_path(program, run_name="__main__")
        else:
            # It has been imported here on purpose; the warning would stand in the log as what it said.
            warnings.filterwarnings("ignore", f"'{re.escape(program)}' found in sys.modules", RuntimeWarning)
            runpy.run_module(program, run_name="__main__", alter_sys=True)
    except SystemExit as reason:
        if reason.code is None or isinstance(reason.code, int):
            return reason.code or 0
        print(reason.code, file=sys.stderr)
        return 1
    return 0


def _say(replies: socket.socket, said: Mapping[str, Any]) -> None:
    """Tell whoever ordered a process, if they are still there."""
    with contextlib.suppress(OSError):
        replies.send(json.dumps(said).encode())


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _preload(modules: Sequence[str]) -> None:
    """Import each module and what it names in `PRELOADED`; "module:function" is also called."""
    for name in modules:
        for wanted in (name, *getattr(importlib.import_module(name.partition(":")[0]), "PRELOADED", ())):
            module, _, function = wanted.partition(":")
            with contextlib.suppress(ImportError):
                loaded = importlib.import_module(module)
                if function:
                    getattr(loaded, function)()
    # What is there now is never garbage; looking through it would make each process copy it.
    gc.freeze()


def _thread_name(thread: Path) -> str:
    return (thread / "comm").read_text(encoding="utf-8").strip()


def main() -> None:
    """Entry point; see the module's docstring."""
    orders, asking, parent, *modules = sys.argv[1:]
    # Whoever interrupts a workflow interrupts this process, too; it ends with its parent.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    alone = int(asking) < 0
    if alone:
        # The import of a system's module may never end.
        _end_with_parent()
    _preload(modules)
    others = [name for name in map(_thread_name, _THREADS.iterdir()) if name != _FORKED_SAFELY]
    if len(others) > 1:
        sys.exit(1)
    if alone:
        adopt_orphans()
    here = None if alone else socket.socket(fileno=int(asking))
    server = Server(socket.socket(fileno=int(orders)), here, int(parent))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        server.serve()
    finally:
        server.end()


if __name__ == "__main__":
    main()
