"""One server for all jobs of a workflow: the first that needs it starts it, the others join."""

import fcntl
import http.client
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import IO

import psutil

from forgeteval.errors import UserError
from lethe.fingerprints import PACKAGE, value_fingerprint
from lethe.folders import locked
from lethe.gateway.addresses import Address
from lethe.processes import STARTED, STARTING, private_folder, workflow_process
from lethe.serving.answering import WITHIN_S, status_of
from lethe.serving.keeper import ADDRESS_FILE, USERS_FILE, Keep, ServerOptions


class SharedServer:
    """The server of one model, for as long as a `with` block lasts; other jobs of the workflow use the same.

    It is started at the first call of `address`, so that a job whose answers are all kept starts none. It ends with
    the workflow, or with this process where there is no workflow.

    Args:
        model: name of the model, for messages.
        options: what the server runs; jobs that give the same share one.
        log: file that the server's output is appended to.
        check: is called before each start; raises UserError where there must be none.
        idle_s: seconds without any job that could ask, after which the server ends.
        answer_s: seconds that a server which has started may take to say that it is ready.
    """

    def __init__(
        self,
        model: str,
        options: ServerOptions,
        log: Path,
        check: Callable[[], None],
        idle_s: float = 120.0,
        answer_s: float = WITHIN_S,
    ) -> None:
        self._model, self._options, self._log, self._idle_s = model, options, log, idle_s
        self._check, self._answer_s = check, answer_s
        self._owner = workflow_process() or psutil.Process()
        self._folder = private_folder(Path(tempfile.gettempdir()), self._owner, value_fingerprint(asdict(options)))
        self._users: IO[bytes] | None = None

    def __enter__(self) -> "SharedServer":
        self._users = (self._folder / USERS_FILE).open("ab")
        fcntl.flock(self._users, fcntl.LOCK_SH)
        return self

    def __exit__(self, *_: object) -> None:
        if self._users is not None:
            self._users.close()

    def address(self) -> Address:
        """Where the server is, which answers.

        Raises:
            UserError: if it cannot be started.
        """
        with locked(self._folder / "starting"):
            address = self._known()
            if address is None or status_of(address, self._answer_s) != http.client.OK:
                self._start()
                address = self._known()
        if address is None:
            raise UserError(f"model {self._model}: its server ended as soon as it answered; see {self._log}")
        return address

    def _known(self) -> Address | None:
        try:
            return Address(**json.loads((self._folder / ADDRESS_FILE).read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return None

    def _start(self) -> None:
        self._check()
        owner = self._owner.pid, self._owner.create_time()
        order = Keep(self._options, str(self._folder), str(self._log.absolute()), *owner, self._idle_s, self._answer_s)
        with STARTING:
            keeper = subprocess.Popen(
                [sys.executable, "-m", "lethe.serving.keeper"],
                env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
                start_new_session=True,
            )
            STARTED.add(keeper.pid)
        if keeper.stdin is None or keeper.stdout is None:
            raise AssertionError("the pipes were asked for")
        with keeper.stdin, keeper.stdout:
            keeper.stdin.write(json.dumps(asdict(order)) + "\n")
            keeper.stdin.flush()
            said = keeper.stdout.readline()
        if said != "\n":
            reason = said.strip() or f"its keeper ended without a word; see {self._log}, and run again"
            raise UserError(f"model {self._model}: its server cannot be started: {reason}")
