"""The journal of a run: one JSON line a finished trial, so that a killed run goes on where it was."""

import fcntl
import json
import time
from pathlib import Path
from typing import IO, Any

from lethe.errors import LetheError, describe_os_error

_LOCK_PATIENCE_S = 20.0


class Journal:
    """An append-only file, held by one process at a time.

    The first line names the fingerprint of what is run; a journal of another fingerprint is begun anew.
    """

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._stream: IO[bytes] = path.open("a+b")
            self._lock()
            self.trials = self._resume(fingerprint)
        except OSError as error:
            raise describe_os_error(error, f"writing {path}") from error

    def append(self, trial: dict[str, Any]) -> None:
        """Add a finished trial; it is in the file when this returns. Raises LetheError when it cannot be written."""
        self._write(trial)
        self.trials.append(trial)

    def close(self) -> None:
        self._stream.close()

    def discard(self) -> None:
        """Remove the journal once its trials stand in a Parquet file."""
        self.path.unlink(missing_ok=True)
        self.close()

    def _lock(self) -> None:
        deadline = time.monotonic() + _LOCK_PATIENCE_S
        while True:
            try:
                fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > deadline:
                    message = (
                        f"{self.path}: another process is running this system on this suite; wait for it or end it"
                    )
                    raise LetheError(message) from None
                time.sleep(0.1)

    def _resume(self, fingerprint: str) -> list[dict[str, Any]]:
        """Trials of an earlier run with the same fingerprint; a half-written last line is cut off."""
        self._stream.seek(0)
        content = self._stream.read()
        whole = content[: content.rfind(b"\n") + 1]
        lines = [json.loads(line) for line in whole.splitlines()]
        if not lines or lines[0] != {"fingerprint": fingerprint}:
            self._stream.truncate(0)
            self._write({"fingerprint": fingerprint})
            return []
        self._stream.truncate(len(whole))
        return lines[1:]

    def _write(self, row: dict[str, Any]) -> None:
        line = json.dumps(row, ensure_ascii=False).encode() + b"\n"
        try:
            self._stream.write(line)
            self._stream.flush()
        except OSError as error:
            raise describe_os_error(error, f"writing {self.path}") from error
