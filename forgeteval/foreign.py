"""Reading what comes from outside in a process of its own; how much of it, `forgeteval.limits` says.

A file of somebody else may break a parser, one in C++ too, which then ends its process; or it fills the memory, or
keeps a processor busy without end. So the commands that take such files read them `apart`.
"""

import faulthandler
import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from forgeteval.errors import ENDS_A_RUN, UserError
from forgeteval.limits import Limits

with suppress(ImportError):  # Windows has none
    import resource

T = TypeVar("T")

_OUT_OF_MEMORY = 77
"""Exit code of a process that its limit of memory ended."""
_PAGES_OF_DATA = 5
"""Position in /proc/self/statm."""


class Ended(UserError):
    """The process that read files from outside came to no end of its own.

    Attributes:
        at: the file that it read then: the first path it was given, until it says another; empty without any.
        problem: what ended it.
    """

    def __init__(self, at: str, problem: str) -> None:
        super().__init__(f"{at or 'a file from outside'}: {problem}; the file is damaged, or made to do that")
        self.at, self.problem = at, problem


_told: list[Connection] = []
"""To the parent of a process that reads."""


def apart(function: Callable[..., T], *arguments: Any, limits: Limits | None = None, **named: Any) -> T:
    """What a function returns that is called in a process of its own, which can do no harm to this one.

    >>> apart(sorted, [2, 1], reverse=True, limits=Limits(seconds=10))
    [2, 1]

    Args:
        function: of a module, with arguments and a result that can be pickled. It can name what it reads by `reading`.

    Raises:
        Ended: where a signal or a limit ended that process.
        UserError: what the function raised.
    """
    given = limits or Limits()
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(theirs, given, partial(function, *arguments, **named)), daemon=True)
    process.start()
    theirs.close()
    at = next((str(argument) for argument in arguments if isinstance(argument, Path)), "")
    deadline = time.monotonic() + given.seconds
    try:
        while ours.poll(max(0.0, deadline - time.monotonic())):
            kind, value = ours.recv()
            if kind == "reading":
                at = value
            elif kind == "broken":
                raise RuntimeError(value)
            elif kind == "refused":
                raise UserError(value)
            else:
                result: T = value
                return result
        raise Ended(at, f"reading it takes longer than {given.seconds} s")
    except EOFError:
        process.join()
        raise Ended(at, _why_ended(process.exitcode, given)) from None
    finally:
        process.kill()
        process.join()
        ours.close()


def reading(name: str) -> None:
    """Say which file is read from here on, for the message of a process that a file ends."""
    if _told:
        _told[0].send(("reading", name))


@contextmanager
def room(more: int) -> Iterator[None]:
    """Let this process take so many bytes of memory besides what it has; more than that is a MemoryError in the block.

    Linux alone keeps to it; a limit that is lower already stays. What an allocator holds in reserve counts as had.
    """
    if sys.platform != "linux":
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = _taken() + more
    resource.setrlimit(resource.RLIMIT_DATA, (_lower(wanted, soft), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _run(told: Connection, limits: Limits, call: Callable[[], Any]) -> None:
    """The process that reads."""
    _told[:] = [told]
    faulthandler.disable()
    _limit(limits)
    _hide_standard_error()
    try:
        told.send(("returned", call()))
    except UserError as error:
        told.send(("refused", str(error)))
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)
    except (*ENDS_A_RUN, BrokenPipeError):
        os._exit(1)
    except Exception:  # noqa: BLE001 - a mistake of this package, which the parent raises
        told.send(("broken", traceback.format_exc()))


def _limit(limits: Limits) -> None:
    if sys.platform == "win32":
        return
    for kind, value in (
        (resource.RLIMIT_DATA, _taken() + limits.memory),
        (resource.RLIMIT_CPU, limits.seconds),
        (resource.RLIMIT_FSIZE, limits.file),
        (resource.RLIMIT_NOFILE, _open_files() + limits.files),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (_lower(value, hard),) * 2)


def _open_files() -> int:
    """How many files this process has open, those of its parent among them; 0 where nobody tells."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            return len([*Path(folder).iterdir()])
    return 0


def _taken() -> int:
    """Bytes of memory that this process has, what it had from its parent among them; 0 where no Linux tells."""
    if sys.platform != "linux":
        return 0
    pages = int(Path("/proc/self/statm").read_text().split()[_PAGES_OF_DATA])
    return pages * resource.getpagesize()


def _lower(wanted: int, limit: int) -> int:
    return wanted if limit == resource.RLIM_INFINITY else min(wanted, limit)


def _hide_standard_error() -> None:
    """Let Python alone write to standard error, not what a library says as it breaks."""
    if sys.stderr is sys.__stderr__ and sys.stderr is not None:
        sys.stderr = os.fdopen(os.dup(2), "w", buffering=1, errors="backslashreplace")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _why_ended(code: int | None, limits: Limits) -> str:
    if code == _OUT_OF_MEMORY:
        return f"reading it takes more than {limits.memory >> 20} MiB of memory"
    if code is not None and -code == getattr(signal, "SIGXCPU", None):
        return f"reading it takes longer than {limits.seconds} s"
    ended = signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
    return f"reading it ended the process that read it ({ended})"
