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
    order = Order(**json.loads(sys.stdin.readline()))
    with Path(order.log).open("ab") as log:
        server = subprocess.Popen(
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
    print(server.pid, flush=True)
    threading.Thread(target=_end_at_eof, args=(server, order.gentle), daemon=True).start()
    code = server.wait()
    _signal_group(server.pid, signal.SIGKILL)
    for folder in order.remove:
        shutil.rmtree(folder, ignore_errors=True)
    return code


def _end_at_eof(server: subprocess.Popen[bytes], gentle: int) -> None:
    os.read(sys.stdin.fileno(), 1)
    _signal_group(server.pid, gentle)
    try:
        server.wait(timeout=GENTLE_S)
    except subprocess.TimeoutExpired:
        _signal_group(server.pid, signal.SIGKILL)


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)


def die_with_parent() -> None:
    """In a child that is about to be started: have the kernel end it if its parent is killed; only Linux can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
