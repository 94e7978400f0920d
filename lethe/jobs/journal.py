"""The journal of a run: one JSON line for each finished trial, so that a killed run goes on where it was."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from forgeteval.errors import UserError, describe_os_error
from forgeteval.files import read_file
from forgeteval.json_records import from_json
from forgeteval.run.replay import Replay
from lethe.gateway.context import Usage
from lethe.jobs.erasing import Finding
from lethe.jobs.lease import Lease

_CHECKSUM = "checksum"


_REPLAYED = ("inscribed", "mutated", "not_expressed", "inscribe_ms", "mutate_ms", "fallbacks", "error")


@dataclass(frozen=True, slots=True)
class FinishedTrial:
    """One trial that is done: the name of its history, what came of it, what its chat calls came to, and
    what the erasure audit found."""

    history: str
    repetition: int
    replay: Replay
    usage: Usage
    findings: list[Finding] = field(default_factory=list)

    def columns(self) -> dict[str, Any]:
        """How the replay of a history went, with what a chat model was asked meanwhile, as columns of a row."""
        replayed = {name: getattr(self.replay, name) for name in _REPLAYED}
        return {"history": self.history, **replayed, **self.usage.columns()}


class Journal:
    """An append-only file, held by one process at a time; a context manager that lets go of it.

    The first line names the fingerprint of what is run. A journal of another fingerprint is started again from
    scratch; a last line that was cut short is cut off. Each line ends with a checksum of itself and of the lines before
    it, so that a line that was changed, removed or moved is an error.

    Attributes:
        trials: what the file holds, in the order in which the trials were finished.

    Raises:
        UserError: where the file cannot be written, is held by another process, or is damaged.
    """

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        self._checksum, self._descriptor = "", -1
        self._lease: Lease | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lease = Lease(path)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            self.trials = self._resume(fingerprint)
        except OSError as error:
            self.close()
            raise describe_os_error(error, f"writing {path}") from error
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def append(self, trial: FinishedTrial) -> None:
        """Add a finished trial; it is in the file when this returns.

        Raises:
            UserError: where it cannot be written, or another process has taken the journal over.
        """
        self._write(asdict(trial))
        self.trials.append(trial)

    def close(self) -> None:
        """Let go of the file; the trials stay in it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        if self._lease is not None:
            self._lease.release()
            self._lease = None

    def discard(self) -> None:
        """Remove the journal once its trials are safe elsewhere."""
        self.path.unlink(missing_ok=True)
        self.close()

    def _resume(self, fingerprint: str) -> list[FinishedTrial]:
        content = read_file(self.path)
        header, *lines = content[: content.rfind(b"\n") + 1].split(b"\n")[:-1] or [b""]
        if not header or self._verified(1, header) != {"fingerprint": fingerprint}:
            self._checksum = ""
            os.truncate(self._descriptor, 0)
            self._write({"fingerprint": fingerprint})
            return []
        trials = [self._trial(number, line) for number, line in enumerate(lines, start=2)]
        os.truncate(self._descriptor, content.rfind(b"\n") + 1)
        return trials

    def _verified(self, number: int, line: bytes) -> dict[str, Any]:
        """The fields of a line whose checksum is right."""
        try:
            fields = json.loads(line)
            del fields[_CHECKSUM]
            written, checksum = _line(fields, self._checksum)
        except (ValueError, TypeError, KeyError, RecursionError):
            raise self._damage(number) from None
        if line != written:
            raise self._damage(number)
        self._checksum = checksum
        return cast(dict[str, Any], fields)

    def _trial(self, number: int, line: bytes) -> FinishedTrial:
        try:
            return from_json(FinishedTrial, self._verified(number, line))
        except (KeyError, TypeError):
            raise self._damage(number) from None

    def _damage(self, number: int) -> UserError:
        remedy = "restore the file, or remove it to run its trials again"
        return UserError(f"{self.path}: line {number} is not as it was written; {remedy}")

    def _write(self, fields: Mapping[str, Any]) -> None:
        if self._lease is not None:
            self._lease.check()
        line, checksum = _line(fields, self._checksum)
        left = memoryview(line + b"\n")
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError as error:
            raise describe_os_error(error, f"writing {self.path}") from error
        self._checksum = checksum


def _line(fields: Mapping[str, Any], previous: str) -> tuple[bytes, str]:
    """A line without its end, and its checksum: SHA-256 of the checksum of the line before and the fields as JSON."""
    checksum = hashlib.sha256(f"{previous}{json.dumps(fields)}".encode()).hexdigest()
    return json.dumps({**fields, _CHECKSUM: checksum}).encode(), checksum
