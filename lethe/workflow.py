"""What the workflow's scripts share: one-line errors that also reach the job's log."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from lethe.errors import one_line_errors


class _Tee:
    """Standard error that is written to the job's log as well."""

    def __init__(self, stream: TextIO, log: TextIO) -> None:
        self._stream, self._log = stream, log

    def write(self, text: str) -> int:
        self._log.write(text)
        return self._stream.write(text)

    def flush(self) -> None:
        self._log.flush()
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()


@contextmanager
def job(snakemake: Any) -> Iterator[None]:
    """Run a script's body: standard error also goes to the rule's log, and a LetheError is one line."""
    terminal = sys.stderr
    path = Path(snakemake.log[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    with path.open("a", encoding="utf-8") as log:
        sys.stderr = _Tee(terminal, log)
        try:
            with one_line_errors():
                yield
        finally:
            sys.stderr = terminal
