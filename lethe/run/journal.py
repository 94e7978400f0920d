"""The journal of a run: one JSON line a finished trial, so that a killed run goes on where it was."""

import fcntl
import json
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from lethe.errors import LetheError, describe_os_error

_LOCK_PATIENCE_S = 20.0


class Journal:
    """An append-only file, held by one process at a time; a context manager that lets go of it.

    The first line names the fingerprint of what is run. A journal of another fingerprint is begun anew; a line that
    was written half, and whatever follows a damaged line, is cut off.
    """

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = self._open_locked()
            self.trials = self._resume(fingerprint)
        except OSError as error:
            raise describe_os_error(error, f"writing {path}") from error

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def append(self, trial: dict[str, Any]) -> None:
        """Add a finished trial; it is in the file when this returns. Raises LetheError when it cannot be written."""
        self._write(trial)
        self.trials.append(trial)

    def close(self) -> None:
        """Let go of the file; the trials stay in it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def discard(self) -> None:
        """Remove the journal once its trials are safe elsewhere."""
        self.path.unlink(missing_ok=True)
        self.close()

    def _open_locked(self) -> int:
        deadline = time.monotonic() + _LOCK_PATIENCE_S
        while True:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
            else:
                if self._is_still(descriptor):
                    return descriptor
                os.close(descriptor)
            if time.monotonic() > deadline:
                raise LetheError(f"{self.path}: another process runs this system on this suite; wait for it or end it")
            time.sleep(0.1)

    def _is_still(self, descriptor: int) -> bool:
        """Was the file not removed, by a run that ended, between opening and locking it?"""
        try:
            return os.path.samestat(os.fstat(descriptor), self.path.stat())
        except FileNotFoundError:
            return False

    def _resume(self, fingerprint: str) -> list[dict[str, Any]]:
        lines = self.path.read_bytes().splitlines(keepends=True) if self.path.is_file() else []
        header: dict[str, Any] = {"fingerprint": fingerprint}
        sound: list[tuple[int, dict[str, Any]]] = []
        for line in lines:
            row = _decode(line)
            if row is None or (not sound and row != header):
                break
            sound.append((len(line), row))
        if lines:
            os.truncate(self._descriptor, sum(length for length, _ in sound))
        if not sound:
            self._write(header)
        return [row for _, row in sound[1:]]

    def _write(self, row: dict[str, Any]) -> None:
        left = memoryview(json.dumps(row).encode() + b"\n")
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError as error:
            raise describe_os_error(error, f"writing {self.path}") from error


def _decode(line: bytes) -> dict[str, Any] | None:
    """The object of a whole line; None where it was cut short or damaged."""
    if not line.endswith(b"\n"):
        return None
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None
