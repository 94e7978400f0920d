"""The journal of a run: one JSON line for each finished trial, so that a killed run goes on where it was."""

import fcntl
import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lethe.errors import LetheError, describe_os_error
from lethe.gateway.context import Usage
from lethe.json_records import from_json
from lethe.run.replay import Replay

_LOCK_PATIENCE_S = 20.0


@dataclass(frozen=True, slots=True)
class FinishedTrial:
    """One trial that is done: the name of its history, what came of it, and what its chat calls came to."""

    history: str
    repetition: int
    replay: Replay
    usage: Usage


class Journal:
    """An append-only file, held by one process at a time; a context manager that lets go of it.

    The first line names the fingerprint of what is run. A journal of another fingerprint is started again from
    scratch; a line that was cut short, and whatever follows a damaged line, is cut off.

    Attributes:
        trials: what the file holds, in the order in which the trials were finished.
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

    def __exit__(self, *raised: object) -> None:
        self.close()

    def append(self, trial: FinishedTrial) -> None:
        """Add a finished trial; it is in the file when this returns.

        Raises:
            LetheError: where it cannot be written.
        """
        self._write(asdict(trial))
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
        """False where a run that ended removed the file between opening and locking it."""
        try:
            return os.path.samestat(os.fstat(descriptor), self.path.stat())
        except FileNotFoundError:
            return False

    def _resume(self, fingerprint: str) -> list[FinishedTrial]:
        header = {"fingerprint": fingerprint}
        first, *lines = self.path.read_bytes().splitlines(keepends=True) or [b""]
        sound, trials = 0, []
        if _decode(first) == header:
            sound = len(first)
            for line in lines:
                trial = _trial_of(line)
                if trial is None:
                    break
                sound += len(line)
                trials.append(trial)
        os.truncate(self._descriptor, sound)
        if not sound:
            self._write(header)
        return trials

    def _write(self, fields: Mapping[str, Any]) -> None:
        left = memoryview(json.dumps(fields).encode() + b"\n")
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError as error:
            raise describe_os_error(error, f"writing {self.path}") from error


def _trial_of(line: bytes) -> FinishedTrial | None:
    """The trial of a whole line; None where it was cut short or damaged."""
    fields = _decode(line)
    try:
        return from_json(FinishedTrial, fields) if isinstance(fields, dict) else None
    except (KeyError, TypeError):
        return None


def _decode(line: bytes) -> Any:
    """The content of a whole line; None where it was cut short or is no JSON."""
    try:
        return json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
