"""Program that runs one server, and ends it with all its processes and folders once the worker is gone.

    python -m lethe.systems.supervisor        (an `Order` as JSON on the first line of standard input)

The supervisor runs in its own session, so that it survives to clean up when a worker's process group is killed. The
worker holds the supervisor's standard input open; its end means that the worker is gone, in whatever way.
Its only line of output is the server's process id.
"""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from forgeteval.run.descendants import adopt_orphans, end_descendants, wait_for

GENTLE_S = 5.0
"""Time that a server is given to end by itself."""
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Order:
    """A server to run: `env` is its whole environment; output is appended to `log`; `user` is the numeric user and
    group (None for the present ones); `gentle` is the signal to end it; `remove` are folders to delete at the end."""

    command: list[str]
    env: dict[str, str]
    cwd: str
    log: str
    user: int | None
    gentle: int
    remove: list[str]


def main() -> int:
    """Entry point; returns the server's exit code."""
    line = sys.stdin.readline()
    if not line:
        return 0
    order = Order(**json.loads(line))
    adopt_orphans()
    ended = threading.Event()
    try:
        server = _start(order)
        threading.Thread(target=_end_at_eof, args=(server.pid, order.gentle, ended), daemon=True).start()
        with contextlib.suppress(OSError):
            # Where the worker is gone already, its end is noticed as at any other time.
            print(server.pid, flush=True)
        server.returncode = wait_for(server.pid)
        ended.set()
        _signal_group(server.pid, signal.SIGKILL)
        return server.returncode
    finally:
        end_descendants()
        for folder in order.remove:
            shutil.rmtree(folder, ignore_errors=True)


def _start(order: Order) -> subprocess.Popen[bytes]:
    with Path(order.log).open("ab") as log:
        return subprocess.Popen(
            order.command,
            env=order.env,
            cwd=order.cwd,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            user=order.user,
            group=order.user,
            extra_groups=[] if order.user is not None else None,
            preexec_fn=die_with_parent,
        )


def _end_at_eof(server: int, gentle: int, ended: threading.Event) -> None:
    os.read(sys.stdin.fileno(), 1)
    _signal_group(server, gentle)
    if not ended.wait(GENTLE_S):
        _signal_group(server, signal.SIGKILL)


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)


def die_with_parent() -> None:
    """In a child that is about to be started: have the kernel end it if its parent is killed; only Linux can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
