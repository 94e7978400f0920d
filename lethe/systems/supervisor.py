"""Program that runs one server, and ends it with all its processes and folders once the worker is gone.

    python -m lethe.systems.supervisor        (one JSON object on the first line of standard input)

The supervisor runs in its own session, so that it survives to clean up when a worker's process group is killed. The
worker holds the supervisor's standard input open; its end means that the worker is gone, in whatever way.
Fields: command, env, cwd, log (file that output is appended to), uid and gid (null for the present user), signal
(to end the server gently), remove (folders to delete at the end). Its only line of output is the server's process id.
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
from pathlib import Path
from typing import Any

GENTLE_S = 5.0
"""Time that a server is given to end by itself."""
_PR_SET_PDEATHSIG = 1


def main() -> int:
    """Entry point; returns the server's exit code."""
    asked: dict[str, Any] = json.loads(sys.stdin.readline())
    with Path(asked["log"]).open("ab") as log:
        server = subprocess.Popen(
            asked["command"],
            env=asked["env"],
            cwd=asked["cwd"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            user=asked["uid"],
            group=asked["gid"],
            extra_groups=[] if asked["uid"] is not None else None,
            preexec_fn=_die_with_parent,
        )
    print(server.pid, flush=True)
    threading.Thread(target=_end_at_eof, args=(server, asked["signal"]), daemon=True).start()
    code = server.wait()
    _signal_group(server.pid, signal.SIGKILL)
    for folder in asked["remove"]:
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


def _die_with_parent() -> None:
    """Have the kernel end the server if the supervisor itself is killed; only Linux has such a call."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
