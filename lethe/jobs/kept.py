"""Kept trials: the finished trials of a configuration in one file, each known by what it depends on.

A trial that is kept is not run again, whichever workload asks for it. So a killed job goes on where it was, a job
whose other inputs changed runs what is new, and equal cases of two suites are run once.
"""

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from forgeteval.errors import UserError, describe_os_error
from forgeteval.files import atomic_write, read_file
from forgeteval.json_records import from_json
from forgeteval.run.replay import Replay
from lethe.gateway.context import Usage
from lethe.jobs.erasing import Finding

PATIENCE_S = 20.0
"""Seconds that another process is given to let go of the file: that of a killed workflow ends by itself."""
_POLL_S = 0.1
_CHECKSUM_DIGITS = 16
_REPLAYED = ("inscribed", "mutated", "not_expressed", "inscribe_ms", "mutate_ms", "fallbacks", "error")


@dataclass(frozen=True, slots=True)
class FinishedTrial:
    """One trial that is done: the workload that asked for it, the name of its history, what came of it, what its chat
    calls came to, and what the erasure audit found."""

    workload: str
    history: str
    repetition: int
    replay: Replay
    usage: Usage
    findings: list[Finding] = field(default_factory=list)

    @property
    def place(self) -> tuple[str, str, int]:
        """What a later trial of the same workload stands for."""
        return self.workload, self.history, self.repetition

    def columns(self) -> dict[str, Any]:
        """How the replay of a history went, with what a chat model was asked meanwhile, as columns of a row."""
        replayed = {name: getattr(self.replay, name) for name in _REPLAYED}
        return {"history": self.history, **replayed, **self.usage.columns()}


class KeptTrials:
    """A file of finished trials, written by one process at a time; a context manager that lets go of it.

    Each line is CHECKSUM KEY TRIAL: the first 16 hexadecimal digits of the SHA-256 of the rest, what the trial depends
    on, and the trial as JSON. A last line without an end is of a process that was killed; its trial runs again.

    Raises:
        UserError: where the file cannot be written, another process writes it, or a line is not as it was written.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._descriptor = path, -1
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = _locked(path)
            lines = _read_lines(path)
            self._known, self._bytes = dict(lines), sum(len(line) + 1 for _, line in lines)
        except OSError as error:
            self.close()
            raise describe_os_error(error, f"writing {path}") from error
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "KeptTrials":
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; the trials stay in it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def find(self, key: str) -> FinishedTrial | None:
        """The trial that depends on `key`; None where it has not run."""
        line = self._known.get(key)
        return None if line is None else _trial(self.path, line)

    def add(self, key: str, trial: FinishedTrial) -> None:
        """Add a finished trial; it is in the file when this returns.

        Raises:
            UserError: where it cannot be written.
        """
        line = _line(key, trial)
        left = memoryview(line + b"\n")
        try:
            # What a killed process or a full disk left of a line.
            os.truncate(self._descriptor, self._bytes)
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError as error:
            raise describe_os_error(error, f"writing {self.path}") from error
        self._bytes += len(line) + 1
        self._known[key] = line

    def forget(self, keys: Collection[str]) -> None:
        """Take trials out of the file, to run them again.

        Raises:
            UserError: where it cannot be written.
        """
        left, descriptor = {key: line for key, line in self._known.items() if key not in keys}, -1
        try:
            with atomic_write(self.path) as stream:
                stream.writelines(line + b"\n" for line in left.values())
                # Locked before it takes the other's place, so that nobody who waits comes between.
                descriptor = os.dup(stream.fileno())
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND)
        except BaseException:
            if descriptor >= 0:
                os.close(descriptor)
            raise
        self.close()
        self._descriptor, self._known = descriptor, left
        self._bytes = sum(len(line) + 1 for line in left.values())

    def forget_former(self, wanted: Mapping[str, FinishedTrial]) -> None:
        """Take out what other trials of the same places have replaced.

        Args:
            wanted: the trials that are asked for now, by key.

        Raises:
            UserError: where it cannot be written.
        """
        places = {trial.place for trial in wanted.values()}
        former = {key for key in self._known if key not in wanted and self._place(key) in {None, *places}}
        if former:
            self.forget(former)

    def _place(self, key: str) -> tuple[str, str, int] | None:
        """The place of a trial; None for one that an earlier version wrote in another form."""
        try:
            return _trial(self.path, self._known[key]).place
        except UserError:
            return None


def lent_trials(path: Path) -> dict[str, FinishedTrial]:
    """The trials of another configuration by their keys, without those that broke; none where the file is not here.

    Raises:
        UserError: where a line is not as it was written.
    """
    if not path.is_file():
        return {}
    trials = {key: _trial(path, line) for key, line in _read_lines(path)}
    return {key: trial for key, trial in trials.items() if trial.replay.error is None}


def _locked(path: Path) -> int:
    """A descriptor of a file that no other process writes."""
    until = time.monotonic() + PATIENCE_S
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Whoever held it may have put another file in its place.
            if os.fstat(descriptor).st_ino == path.stat().st_ino:
                return descriptor
        except (BlockingIOError, FileNotFoundError):
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if time.monotonic() > until:
            raise UserError(f"{path}: another process is running this configuration; wait for it to end")
        time.sleep(_POLL_S)


def _read_lines(path: Path) -> list[tuple[str, bytes]]:
    """Each whole line of a file with its key."""
    lines = list[tuple[str, bytes]]()
    for number, line in enumerate(read_file(path).split(b"\n")[:-1], start=1):
        checksum, _, rest = line.partition(b" ")
        if checksum != _checksum(rest):
            raise UserError(
                f"{path}: line {number} is not as it was written; restore it, or remove it to run its trials again"
            )
        key, _, _ = rest.partition(b" ")
        lines.append((key.decode(), line))
    return lines


def _line(key: str, trial: FinishedTrial) -> bytes:
    rest = f"{key} {json.dumps(asdict(trial))}".encode()
    return _checksum(rest) + b" " + rest


def _checksum(rest: bytes) -> bytes:
    return hashlib.sha256(rest).hexdigest()[:_CHECKSUM_DIGITS].encode()


def _trial(path: Path, line: bytes) -> FinishedTrial:
    try:
        return from_json(FinishedTrial, json.loads(line.split(b" ", 2)[2]))
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise UserError(f"{path}: a trial of another form; remove the file to run its trials again") from error
