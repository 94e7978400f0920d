"""Program between a run and its worker: ends the worker, and all that it started, once the run is gone or done with it.

    python -m lethe.jobs.keeper ALIVE CHANNEL [COMMAND…]      (COMMAND starts a worker, see `lethe.jobs.worker`)

The run holds the other end of the pipe ALIVE open; its end means that the run is gone, in whatever way, or wants the
worker killed. The keeper ends as the worker did: with its exit code, or by its signal. Without COMMAND the worker is
forked, by a keeper that was forked itself and so has imported what a worker needs.
"""

import contextlib
import os
import re
import runpy
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path

from forgeteval.run.descendants import adopt_orphans, end_as, end_descendants, wait_for

WORKER = "lethe.jobs.worker"
SUPERVISOR, SUPERVISOR_S = ".systems.supervisor", 6.0
"""How the module's name ends that a system's servers are run by, which ends them by itself once the worker is gone; and
the seconds that it is given."""


def main() -> None:
    """Entry point; see the module's docstring."""
    alive, channel, *command = sys.argv[1:]
    adopt_orphans()
    with contextlib.suppress(OSError):
        # Where memory runs out, the kernel ends a measured system first.
        Path("/proc/self/oom_score_adj").write_text("1000")
    if command:
        worker = _started([*command, channel, str(os.getpid())], int(channel))
    elif not (worker := os.fork()):
        _be_worker(alive, channel)
        return
    # What only the worker holds ends with it.
    os.close(int(channel))
    os.dup2(os.open(os.devnull, os.O_RDONLY), sys.stdin.fileno())
    threading.Thread(target=_kill_at_eof, args=(int(alive), worker), daemon=True).start()
    code = wait_for(worker)
    end_descendants(spared=SUPERVISOR, patience_s=SUPERVISOR_S)
    end_as(code)


def _started(command: Sequence[str], channel: int) -> int:
    process = subprocess.Popen(command, pass_fds=(channel,), start_new_session=True, bufsize=0)
    # It is waited for by number.
    process.returncode = 0
    return process.pid


def _be_worker(alive: str, channel: str) -> None:
    os.setsid()
    os.close(int(alive))
    sys.argv = [WORKER, channel, str(os.getppid())]
    # It has been imported here on purpose; the warning would stand in the log as the last that the worker said.
    warnings.filterwarnings("ignore", f"'{re.escape(WORKER)}' found in sys.modules", RuntimeWarning)
    runpy.run_module(WORKER, run_name="__main__", alter_sys=True)


def _kill_at_eof(alive: int, worker: int) -> None:
    os.read(alive, 1)
    try:
        os.kill(worker, signal.SIGKILL)
    except ProcessLookupError:
        return


if __name__ == "__main__":
    main()
