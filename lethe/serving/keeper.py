"""Program that keeps one server for the jobs of a workflow, and ends it when the workflow has ended or nobody asks.

    python -m lethe.serving.keeper        (a `Keep` as JSON on the first line of standard input)

Its only line of output is empty once the server answers, else the reason why it does not. The address and the token
stand in a file that only this user can read. The server in turn ends with its keeper, in whatever way that ends.
"""

import fcntl
import json
import os
import secrets
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

import psutil

from forgeteval.files import write_text
from forgeteval.run.confinement import confine
from lethe.fingerprints import PACKAGE
from lethe.systems.supervisor import die_with_parent

ADDRESS_FILE, USERS_FILE = "address.json", "users"
SERVER = PACKAGE.parent / "lethe" / "serving" / "llama_server.py"
START_S = 600.0
"""Seconds that a server may take to read its weights."""
_BETWEEN_LOOKS_S = 0.5
_PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "TMPDIR")
_PATIENT = {"OMP_WAIT_POLICY": "passive"}
"""Threads that wait for each other sleep; on a busy machine they would otherwise use up the time that others need."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What a server is to run: the interpreter of its environment, a GGUF file, and its name in answers."""

    python: str
    weights: str
    alias: str
    context: int
    slots: int
    threads: int


@dataclass(frozen=True, slots=True)
class Keep:
    """The order: a server, the private folder of those who share it, its log, the process that it ends with, and the
    seconds without any job that could ask, after which it ends before that."""

    server: ServerOptions
    folder: str
    log: str
    owner: int
    owner_started: float
    idle_s: float


class Keeper:
    """Runs the server of one order."""

    def __init__(self, order: Keep) -> None:
        self._order, self._folder = order, Path(order.folder)
        self._ready = threading.Event()
        self._reason = ""

    def run(self) -> None:
        """Start the server, say that it answers or why it does not, and wait for its end."""
        token = secrets.token_urlsafe(32)
        log = Path(self._order.log)
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as stream:
            server = self._start(stream, token)
            threading.Thread(target=self._watch, args=(server,), daemon=True).start()
            said = json.loads(_line(server) or "{}")
            if "url" in said:
                address = json.dumps({"base_url": f"{said['url']}/v1", "key": token})
                os.umask(0o077)
                write_text(self._folder / ADDRESS_FILE, address)
                self._ready.set()
                _say("")
            code = server.wait()
        (self._folder / ADDRESS_FILE).unlink(missing_ok=True)
        if not self._ready.is_set():
            _say(self._reason or said.get("error") or f"it ended with code {code} before it answered; see {log}")
        if not _runs(self._order):
            shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self, log: IO[bytes], token: str) -> subprocess.Popen[bytes]:
        server = subprocess.Popen(
            [self._order.server.python, "-I", str(SERVER)],
            env={name: os.environ[name] for name in _PASSED_ON if name in os.environ} | _PATIENT,
            cwd=self._folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
            preexec_fn=_start_alone,
        )
        if server.stdin is not None:
            server.stdin.write(json.dumps({**asdict(self._order.server), "token": token}).encode() + b"\n")
            server.stdin.flush()
        return server

    def _watch(self, server: subprocess.Popen[bytes]) -> None:
        """End the server once its workflow is gone, it has not started in time, or nobody has used it for long."""
        last_used = started = time.monotonic()
        with (self._folder / USERS_FILE).open("ab") as users:
            while server.poll() is None:
                now = time.monotonic()
                if not self._ready.is_set() and now > started + START_S:
                    self._reason = f"it did not answer within {START_S:g} s; see {self._order.log}"
                    break
                if not _runs(self._order):
                    break
                if not _nobody_uses(users):
                    last_used = now
                elif now > last_used + self._order.idle_s:
                    break
                else:
                    fcntl.flock(users, fcntl.LOCK_UN)
                time.sleep(_BETWEEN_LOOKS_S)
            server.kill()
            server.wait()


def _nobody_uses(users: IO[bytes]) -> bool:
    """Whether no job holds the file; if so, it is locked, so that none can begin meanwhile."""
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _runs(order: Keep) -> bool:
    """Whether the process that the server ends with is still there."""
    try:
        owner = psutil.Process(order.owner)
        return owner.create_time() == order.owner_started and owner.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _line(server: subprocess.Popen[bytes]) -> bytes:
    return b"" if server.stdout is None else server.stdout.readline()


def _start_alone() -> None:
    """In the server that is about to be started: it ends with its keeper, and sees no other processes."""
    die_with_parent()
    confine()


def _say(text: str) -> None:
    """Write the one line of output; whoever waited for it may be gone."""
    try:
        os.write(sys.stdout.fileno(), f"{' '.join(text.split())}\n".encode())
    except OSError:
        return


def main() -> None:
    """Entry point."""
    order = json.loads(sys.stdin.readline())
    Keeper(Keep(**{**order, "server": ServerOptions(**order["server"])})).run()


if __name__ == "__main__":
    main()
