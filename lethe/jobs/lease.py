"""A lease: who may write a file, also where processes on several machines share it and file locks fail or are local.

The lease of FILE is the file FILE.N.lease with the largest N. It says which process of which machine holds it, and has
a count that the holder raises while it lives. Whoever finds it stale makes the next one, which only one can; a holder
that was merely slow finds that one before it writes again.
"""

import contextlib
import json
import os
import re
import socket
import threading
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Self

import psutil

from forgeteval.errors import UserError
from forgeteval.json_records import from_json

BEAT_S = 5.0
"""Seconds between two counts."""
STALE_S = 30.0
"""Seconds without a count after which the holder, on another machine, is taken for gone."""
PATIENCE_S = 20.0
"""Seconds that a holder on this machine is given to end: that of a killed workflow ends by itself."""
_POLL_S = 0.1
_CLOCK_S = 60.0
"""What the clock may be set by while a process lives."""


@dataclass(frozen=True, slots=True)
class _Holder:
    """What a lease says: machine, process, when that began (seconds since 1970), and the count."""

    host: str
    pid: int
    began: float
    beat: int = 0

    def is_gone(self) -> bool | None:
        """Whether the process has ended; None where it is on another machine."""
        if self.host != _host():
            return None
        try:
            process = psutil.Process(self.pid)
            ended = process.status() == psutil.STATUS_ZOMBIE
            return ended or abs(process.create_time() - self.began) > _CLOCK_S
        except psutil.NoSuchProcess:
            return True


class Lease:
    """The lease of a file, held from here until `release`.

    Raises:
        UserError: where a live process holds it; the message names that.
        OSError: where the folder cannot be written.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._holder = _Holder(_host(), os.getpid(), psutil.Process().create_time())
        self._number = self._acquire()
        self._ended = threading.Event()
        threading.Thread(target=self._beat, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.release()

    def check(self) -> None:
        """Raise UserError where another process has taken the lease over."""
        following = self._path(self._number + 1)
        if following.exists() or not self._path(self._number).exists():
            raise UserError(f"{self._file}: {_described(following)} has taken it over; end one of the two")

    def release(self) -> None:
        """Let go."""
        self._ended.set()
        self._path(self._number).unlink(missing_ok=True)

    def _path(self, number: int) -> Path:
        return self._file.with_name(f"{self._file.name}.{number}.lease")

    def _acquire(self) -> int:
        while True:
            latest = _latest(self._file)
            if latest and not _is_stale(self._path(latest)):
                holder = _described(self._path(latest))
                raise UserError(f"{self._file}: {holder} is running this; wait for it or end it")
            with contextlib.suppress(FileExistsError):
                self._make(self._path(latest + 1))
                self._path(latest).unlink(missing_ok=True)
                return latest + 1

    def _make(self, path: Path) -> None:
        """Write a lease that is not there; raises FileExistsError where it is."""
        with path.open("x", encoding="utf-8") as stream:
            try:
                json.dump(asdict(self._holder), stream)
                stream.flush()
            except OSError:
                path.unlink()
                raise

    def _beat(self) -> None:
        path, count = self._path(self._number), 0
        while not self._ended.wait(BEAT_S):
            count += 1
            # Opened anew each time, since a network's file system shows others what is written when that is closed.
            with contextlib.suppress(OSError), path.open("r+", encoding="utf-8") as stream:
                json.dump(asdict(replace(self._holder, beat=count)), stream)


def _latest(file: Path) -> int:
    """The largest number of a lease of the file; 0 for none."""
    pattern = re.compile(rf"{re.escape(file.name)}\.(\d+)\.lease")
    found = (pattern.fullmatch(path.name) for path in file.parent.iterdir())
    return max((int(match[1]) for match in found if match), default=0)


def _is_stale(path: Path) -> bool:
    """Whether the holder of a lease is gone, or has let go; waits as long as it takes to be sure."""
    start = changed = time.monotonic()
    last = _read(path)
    while path.exists():
        holder, now = _read(path), time.monotonic()
        if holder != last:
            last, changed = holder, now
        gone = None if holder is None else holder.is_gone()
        if gone or (gone is None and now - changed > STALE_S):
            return True
        if (gone is False or changed > start) and now - start > PATIENCE_S:
            return False
        time.sleep(_POLL_S)
    return True


def _read(path: Path) -> _Holder | None:
    """What a lease says; None where it is empty or half written."""
    try:
        return from_json(_Holder, json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _described(path: Path) -> str:
    holder = _read(path)
    return "another process" if holder is None else f"process {holder.pid} on {holder.host}"


def _host() -> str:
    return socket.gethostname()
