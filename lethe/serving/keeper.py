"""Program that keeps one server for the jobs of a workflow, and ends it when the workflow has ended or nobody asks.

    python -m lethe.serving.keeper        (a `Keep` as JSON on the first line of standard input)

Its only line of output is empty once the server answers, else the reason why it does not. The address and the token
stand in a file that only this user can read. The server in turn ends with its keeper, in whatever way that ends; what
it has started ends with it, unless the keeper is killed.
"""

import contextlib
import fcntl
import http.client
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
from forgeteval.run.descendants import adopt_orphans, end_descendants
from lethe.fingerprints import PACKAGE
from lethe.gateway.addresses import Address
from lethe.serving.answering import is_local, status_of
from lethe.systems.supervisor import die_with_parent

ADDRESS_FILE, USERS_FILE = "address.json", "users"
SERVER = PACKAGE.parent / "lethe" / "serving" / "llama_server.py"
START_S = 600.0
"""Seconds that a server may take to read its weights."""
_BETWEEN_LOOKS_S = 0.5
_LONGEST_LINE = 1 << 16
"""Bytes of what a server says."""
_SHOWN, _LONGEST_REASON = 60, 2000
"""Bytes of an unusable line that are repeated, and characters of a reason."""
_ENDING_S = 5.0
"""How long a server that has closed its output may take to end by itself, which says more."""
_ANSWERING_S = 5.0
"""How long a server may refuse to answer where it says that it does."""
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
    """The order: a server, the private folder of those who share it, its log, the process that it ends with, the
    seconds without any job that could ask, after which it ends before that, and those that an answer of it may take."""

    server: ServerOptions
    folder: str
    log: str
    owner: int
    owner_started: float
    idle_s: float
    answer_s: float


class _UnusableError(Exception):
    """The server does not answer; the message says why, and what to do."""


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
        adopt_orphans()
        with log.open("ab") as stream:
            server = self._start(stream, token)
        watching = threading.Thread(target=self._watch, args=(server,), daemon=True)
        watching.start()
        try:
            address = self._answering(server, token)
            os.umask(0o077)
            write_text(self._folder / ADDRESS_FILE, json.dumps(asdict(address)))
            self._ready.set()
            _say("")
            server.wait()
        except _UnusableError as error:
            self._reason = self._reason or str(error)
        finally:
            server.kill()
            watching.join()
            (self._folder / ADDRESS_FILE).unlink(missing_ok=True)
        if not self._ready.is_set():
            _say(self._reason)
        if not _runs(self._order):
            shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self, log: IO[bytes], token: str) -> subprocess.Popen[bytes]:
        try:
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
        except OSError as error:
            raise _UnusableError(f"{error.filename}: {error.strerror}; {self._remedy()}") from None
        if server.stdin is not None:
            # One that has ended already is told of by its code.
            with contextlib.suppress(BrokenPipeError):
                server.stdin.write(json.dumps({**asdict(self._order.server), "token": token}).encode() + b"\n")
                server.stdin.flush()
        return server

    def _answering(self, server: subprocess.Popen[bytes], token: str) -> Address:
        """Where the server says that it answers, once it does.

        Raises:
            _UnusableError: if it does not.
        """
        line = b"" if server.stdout is None else server.stdout.readline(_LONGEST_LINE)
        if not line:
            raise _UnusableError(self._ending(server))
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            said = None
        match said:
            case {"url": str(url)} if is_local(url):
                address = Address(f"{url}/v1", token)
            case {"error": str(error)}:
                raise _UnusableError(error)
            case _:
                shown = repr(line[:_SHOWN])[1:]
                raise _UnusableError(f"it says {shown}, which is no address of this machine; {self._remedy()}")
        deadline = time.monotonic() + _ANSWERING_S
        while (status := status_of(address, self._order.answer_s)) != http.client.OK:
            if server.poll() is not None:
                raise _UnusableError(self._ending(server))
            # It may not listen yet, or still read its weights.
            refused = isinstance(status, int) and status != http.client.SERVICE_UNAVAILABLE
            if refused or time.monotonic() > deadline:
                raise _UnusableError(f"it does not answer at {url}, as it says ({status}); {self._remedy()}")
            time.sleep(_BETWEEN_LOOKS_S)
        return address

    def _ending(self, server: subprocess.Popen[bytes]) -> str:
        """How a server ended that has said no more."""
        try:
            code = server.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            return f"it closed its output before it answered; {self._remedy()}"
        return f"it ended with code {code} before it answered; {self._remedy()}"

    def _remedy(self) -> str:
        environment = Path(self._order.server.python).parent.parent
        return f"see {self._order.log}; to build its environment again, remove {environment}.freeze.txt and run again"

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
        # One of them may hold the server's output open.
        end_descendants()


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


def _start_alone() -> None:
    """In the server that is about to be started: it ends with its keeper, and sees no other processes."""
    die_with_parent()
    confine()


def _say(text: str) -> None:
    """Write the one line of output; whoever waited for it may be gone."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    with contextlib.suppress(OSError):
        os.write(sys.stdout.fileno(), f"{' '.join(printable.split())[:_LONGEST_REASON]}\n".encode())


def main() -> None:
    """Entry point."""
    order = json.loads(sys.stdin.readline())
    try:
        Keeper(Keep(**{**order, "server": ServerOptions(**order["server"])})).run()
    except _UnusableError as error:
        _say(str(error))
    except OSError as error:
        _say(f"{error.filename}: {error.strerror}")


if __name__ == "__main__":
    main()
