"""Starting a worker and its keeper: forked where this process was, else as programs of their own."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from forgeteval.run.descendants import adopt_orphans
from lethe.fingerprints import PACKAGE
from lethe.jobs.forks import ForkedProcess, NotForked, Order, Place, server_here
from lethe.processes import STARTED, STARTING

KEEPER, WORKER, SANDBOX = RUNS_MODULES = ("lethe.jobs.keeper", "lethe.jobs.worker", "lethe.jobs.sandbox")
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "LD_LIBRARY_PATH")
_WORKER_ENVIRONMENT = {
    "PYTHONPATH": str(PACKAGE.parent),
    "PYTHONHASHSEED": "0",
    "PYTHONUNBUFFERED": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ORT_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
}


def own_environment() -> dict[str, str]:
    """The environment variables of a process that has to do with a measured system: no key is among them."""
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ} | _WORKER_ENVIRONMENT


def start_keeper(
    python: Path,
    backend: str,
    home: Path,
    log: IO[bytes],
    stdin: int,
    passed: Sequence[int],
    sandboxed: bool,
    seconds: float,
) -> "subprocess.Popen[bytes] | ForkedProcess":
    """Start the keeper of a worker, which starts that.

    Args:
        python: interpreter of the system's environment.
        backend: of the system.
        home: HOME of both, and their working directory.
        log: takes their output.
        stdin: the worker's standard input.
        passed: the pipes ALIVE and CHANNEL; see `lethe.jobs.keeper`.
        sandboxed: nothing of its environment may be run outside `lethe.jobs.sandbox`.
        seconds: how long importing what is forked with may take.

    Raises:
        OSError: where it cannot be started; TimeoutError where the import takes longer.
    """
    common = own_environment()
    environment = {**common, "HOME": str(home.absolute()), "TMPDIR": str(home.absolute())}
    server = server_here()
    if server is not None and not sandboxed:
        # The workflow names a backend by its class. A module of somebody's own may look for HOME as it is imported.
        module, _, _ = backend.partition(":")
        modules = [KEEPER, WORKER, *([module] if module.startswith("lethe.") else [])]
        place = Place(str(python.absolute()), modules, common)
        order = Order(KEEPER, [], environment, str(home.absolute()), session=True, place=place)
        try:
            return server.start(order, [stdin, log.fileno(), log.fileno()], passed, seconds)
        except NotForked:
            pass
    # A daemon whose keeper was killed becomes this process's child.
    adopt_orphans()
    sandbox = [sys.executable, "-m", SANDBOX, environment["HOME"]] if sandboxed else []
    with STARTING:
        process = subprocess.Popen(
            [sys.executable, "-m", KEEPER, *map(str, passed), *sandbox, str(python), "-m", WORKER],
            stdin=stdin,
            stdout=log,
            stderr=log,
            env=environment,
            cwd=home,
            pass_fds=tuple(passed),
            start_new_session=True,
            bufsize=0,
        )
        STARTED.add(process.pid)
    return process
