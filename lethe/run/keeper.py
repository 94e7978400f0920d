"""Program between a run and its worker: ends the worker, and all that it started, once the run is gone or done with it.

    python -m lethe.run.keeper ALIVE CHANNEL COMMAND…        (COMMAND starts a worker, see `lethe.run.worker`)

The run holds the other end of the pipe ALIVE open; its end means that the run is gone, in whatever way, or wants the
worker killed. The keeper ends as the worker did: with its exit code, or by its signal.
"""

import os
import resource
import signal
import subprocess
import sys
import threading

from lethe.systems.descendants import adopt_orphans, end_descendants, wait_for

SUPERVISOR, SUPERVISOR_S = ".systems.supervisor", 6.0
"""How the module's name ends that a system's servers are run by, which ends them by itself once the worker is gone; and
the seconds that it is given."""


def main() -> None:
    """Entry point; see the module's docstring."""
    alive, channel, *command = sys.argv[1:]
    adopt_orphans()
    worker = subprocess.Popen(
        [*command, channel, str(os.getpid())], pass_fds=(int(channel),), start_new_session=True, bufsize=0
    )
    # What only the worker holds ends with it.
    os.close(int(channel))
    os.dup2(os.open(os.devnull, os.O_RDONLY), sys.stdin.fileno())
    threading.Thread(target=_kill_at_eof, args=(int(alive), worker.pid), daemon=True).start()
    worker.returncode = wait_for(worker.pid)
    end_descendants(spared=SUPERVISOR, patience_s=SUPERVISOR_S)
    _end_as(worker.returncode)


def _kill_at_eof(alive: int, worker: int) -> None:
    os.read(alive, 1)
    try:
        os.kill(worker, signal.SIGKILL)
    except ProcessLookupError:
        return


def _end_as(code: int) -> None:
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
