"""The frame of every script of the workflow: one-line errors, a log, and an end together with the workflow."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from io import FileIO
from pathlib import Path
from typing import Any, TextIO

import psutil

from forgeteval.errors import one_line_errors, one_line_interrupt
from lethe.processes import workflow_process

_SECONDS_BETWEEN_LOOKS = 0.5


class _Tee:
    """Standard error that also writes to the job's log, as far as there is room for that."""

    def __init__(self, stream: TextIO, log: FileIO) -> None:
        self._stream, self._log = stream, log

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._log.write(text.encode(errors="backslashreplace"))
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()


@contextmanager
def job(snakemake: Any) -> Iterator[None]:
    """Run a script's body: standard error also goes to the rule's log, and a UserError or Ctrl-C is one line.

    The script ends when its workflow ends, even if that was killed; a job left behind would keep its trials locked at
    the next start.
    """
    workflow = workflow_process()
    if workflow is not None:
        threading.Thread(target=_end_with, args=(workflow,), daemon=True).start()
    terminal = sys.stderr
    path = Path(snakemake.log[0])
    with one_line_errors():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
        log = FileIO(path, "a")
    with log:
        sys.stderr = _Tee(terminal, log)
        try:
            with one_line_interrupt(), one_line_errors():
                yield
        finally:
            sys.stderr = terminal


def named(function: str) -> Callable[..., Any]:
    """The function MODULE:NAME of the package that a rule names."""
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def _end_with(workflow: psutil.Process) -> None:
    while workflow.is_running() and workflow.status() != psutil.STATUS_ZOMBIE:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)
