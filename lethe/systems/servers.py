"""Servers that a backend starts on loopback, and that end with its worker in whatever way it ends."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from lethe.systems.supervisor import Order

RUNS_MODULES = ("lethe.systems.supervisor",)
_POLL_S = 0.05
_LOG_END = 300


class Server:
    """One process under a supervisor (`lethe.systems.supervisor`).

    Args:
        command: program and arguments, none of them secret.
        env: its whole environment.
        cwd: its working folder.
        log: file that its output is appended to.
        user: numeric user and group to run as; None for the present ones.
        gentle: signal that asks it to end.
        remove: folders to delete once it has ended.

    Attributes:
        pid: process id of the server itself.
    """

    def __init__(
        self,
        command: Sequence[str | os.PathLike[str]],
        env: Mapping[str, str],
        cwd: Path,
        log: Path,
        user: int | None = None,
        gentle: int = signal.SIGTERM,
        remove: Sequence[Path] = (),
    ) -> None:
        self._name, self._log = Path(command[0]).name, log
        self._supervisor = subprocess.Popen(
            [sys.executable, "-m", *RUNS_MODULES],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )
        order = Order(
            command=[os.fspath(part) for part in command],
            env=dict(env),
            cwd=str(cwd),
            log=str(log),
            user=user,
            gentle=int(gentle),
            remove=[str(folder) for folder in remove],
        )
        assert self._supervisor.stdin is not None and self._supervisor.stdout is not None
        with contextlib.suppress(OSError):
            self._supervisor.stdin.write(json.dumps(asdict(order)).encode() + b"\n")
        line = self._supervisor.stdout.readline()
        if not line:
            self.stop()
            raise RuntimeError(f"{self._name} could not be started; {self._last_words()}")
        self.pid = int(line)

    def wait_until(self, ready: Callable[[], bool], seconds: float) -> None:
        """Return once `ready` returns True; a connection error or timeout in it counts as False.

        Raises:
            RuntimeError: if the server ends before that, or `seconds` have passed.
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._supervisor.poll() is not None:
                raise RuntimeError(f"{self._name} ended while starting; {self._last_words()}")
            with contextlib.suppress(OSError):
                if ready():
                    return
            time.sleep(_POLL_S)
        raise RuntimeError(f"{self._name} was not up after {seconds:g} s; {self._last_words()}")

    def stop(self) -> None:
        """End the server, and wait until it has ended and its folders are removed."""
        assert self._supervisor.stdin is not None and self._supervisor.stdout is not None
        with contextlib.suppress(OSError):
            self._supervisor.stdin.close()
        self._supervisor.wait()
        self._supervisor.stdout.close()

    def _last_words(self) -> str:
        text = self._log.read_text(encoding="utf-8", errors="replace") if self._log.exists() else ""
        said = " ".join(text.split())[-_LOG_END:]
        return f"it said last: {said}" if said else "it said nothing"


def free_port() -> int:
    """A TCP port of 127.0.0.1 on which nothing is listening now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def accepts(port: int) -> bool:
    """Whether something is listening on this port of 127.0.0.1; raises OSError if not."""
    with socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
