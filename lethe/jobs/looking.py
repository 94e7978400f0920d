"""Looking through what a measured system wrote, in a program that starts a process with limits for each look.

A process with threads, such as that of a run with a gateway, may hang when it is forked; this program has none. What a
system wrote may break whoever reads it: that costs the look.
"""

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from forgeteval.errors import UserError, describe_os_error
from forgeteval.files import read_file
from forgeteval.foreign import apart
from forgeteval.limits import Limits
from forgeteval.run.storable import storable
from lethe.jobs.starting import own_environment
from lethe.residue.scanning import Scanner, Seen, Trace

LIMITS = Limits(seconds=300)
"""For one look."""
_LOG = "log of the process"


class Looker:
    """The program, started at the first look; a context manager that ends it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Looker":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.communicate()

    def look(
        self, scanner: Scanner, home: Path, own: Path, others: Mapping[Path, int], log: Path, begin: int
    ) -> tuple[list[Trace], Seen]:
        """What is left of a case's memory in its own store and in whatever is of no case; and what is seen by then.

        Args:
            home: the worker's HOME.
            own: folder in it of the case's store.
            others: folders in it of other cases, and of other uses of this one; each with the time, in ns, since which
                what has changed there is looked through.
            log: what the system prints, from `begin` on, in bytes.

        Raises:
            UserError: where that cannot be looked through.
        """
        process = self._process = self._process or subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=own_environment(),
        )
        assert process.stdin is not None and process.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            try:
                pickle.dump((scanner, home, own, others, log, begin, LIMITS, folder), process.stdin)
                process.stdin.flush()
                came: tuple[list[Trace], Seen] | str = pickle.load(process.stdout)
            except (EOFError, OSError, pickle.UnpicklingError) as error:
                raise UserError(f"the program that looks through it has ended ({error!r})") from error
        if isinstance(came, str):
            raise UserError(came)
        return came


def main() -> None:
    """Answer each request of standard input on standard output until there is no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            scanner, home, own, others, log, begin, limits, folder = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        came: tuple[list[Trace], Seen] | str
        try:
            came = apart(_looked, scanner, home, own, others, log, begin, folder, limits=limits)
        except (RuntimeError, UserError) as error:
            came = storable(str(error).strip().splitlines()[-1])
        pickle.dump(came, answers)
        answers.flush()


def _looked(
    scanner: Scanner, home: Path, own: Path, others: Mapping[Path, int], log: Path, begin: int, folder: str
) -> tuple[list[Trace], Seen]:
    """What is found; copies go into the folder."""
    tempfile.tempdir = folder
    printed = Path(folder, "printed")
    try:
        printed.write_bytes(read_file(log)[begin:])
        return scanner.scan(chain([(_LOG, printed)], _files(home, own, others))), scanner.seen
    except OSError as error:
        raise describe_os_error(error, "looking through it") from error
    except RecursionError as error:
        raise UserError("its folders are too many in each other") from error


def _files(home: Path, own: Path, others: Mapping[Path, int]) -> Iterator[tuple[str, Path]]:
    """Every file, folder and link, with its name; of the others' folders, only what has changed since.

    Its folder is opened from the one above it, so that a link that takes its place meanwhile leads nowhere either.
    """
    yield "~/.", home
    for folder, folders, names, opened in os.fwalk(home, onerror=_pass_over_what_is_gone):
        reached = Path("/proc/self/fd", str(opened)) if sys.platform == "linux" else Path(folder)
        for name in (*folders, *names):
            path = Path(folder, name)
            since = max((others[above] for above in (path, *path.parents) if above in others), default=0)
            if since and not _has_changed(reached / name, since):
                continue
            shown = str(path.relative_to(own)) if path.is_relative_to(own) else f"~/{path.relative_to(home)}"
            yield shown, reached / name


def _has_changed(path: Path, since: int) -> bool:
    try:
        return path.lstat().st_ctime_ns >= since
    except FileNotFoundError:
        return False


def _pass_over_what_is_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


if __name__ == "__main__":
    main()
