"""Files that are written whole or not at all, and read without waiting."""

import contextlib
import errno
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from forgeteval.errors import UserError, describe_os_error
from forgeteval.limits import MOST_BYTES

BEING_WRITTEN = ".unfinished"
"""How the name of a file ends until it is whole; it begins with a dot. A killed process leaves it."""
_NAMED_BYTES = 100
"""Of the file's own name, so much is in that: no file system has a longest name that leaves no room for the rest."""
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)
"""Windows has no such flag, and no pipes among its files."""
_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_NUMBERED = re.compile(r"/dev/fd/([0-9]{1,6})|/proc/self/fd/([0-9]{1,6})")


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Yield a binary stream that becomes `path` if the block succeeds, and leaves nothing behind if it fails.

    A device or a pipe is written to, not replaced. What names an open stream, such as /dev/stdout, is written to behind
    what that has, also where it leads to a file.

    Raises:
        UserError: if the directory is read-only or the disk is full, or as of `check_room`.
    """
    temporary: str | None = None
    try:
        if (descriptor := stream_of(path)) is not None:
            sys.stdout.flush()
            with os.fdopen(os.dup(descriptor), "wb") as stream:
                yield stream
            return
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                yield stream
            return
        _check_way(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        name = os.fsencode(path.name)[:_NAMED_BYTES].decode(errors="ignore")
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{name}.", suffix=BEING_WRITTEN)
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(path)
        temporary = None
    except OSError as error:
        raise describe_os_error(error, f"writing {path}") from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def stream_of(path: Path) -> int | None:
    """The number of the open stream that a path names, None for another.

    >>> stream_of(Path("/dev/stdout")), stream_of(Path("/dev/fd/5")), stream_of(Path("results.json"))
    (1, 5, None)
    """
    name = str(path.absolute())
    if numbered := _NUMBERED.fullmatch(name):
        return int(numbered[1] or numbered[2])
    return _STREAMS.get(name)


def real(path: Path) -> Path:
    """The absolute path without links; one that leads to itself stays as it is, and is refused where it is read.

    Before Python 3.13, `Path.resolve` raises RuntimeError for it.
    """
    return Path(os.path.realpath(path))


def check_room(path: Path) -> None:
    """Try whether a file can be written at this place, before the work that it is to hold.

    Raises:
        UserError: where it is a folder, or the folder that it is to stand in cannot be written or made; where the path
            leads through a folder that is missing and back (`missing/../results.json`).
    """
    _check_way(path)
    if stream_of(path) is not None or (path.exists() and not path.is_file() and not path.is_dir()):
        return
    if path.is_dir():
        raise UserError(f"writing {path}: it is a folder; name a file")
    try:
        there = next(folder for folder in path.absolute().parents if folder.exists())
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        raise describe_os_error(error, f"writing {path}") from error


def _check_way(path: Path) -> None:
    """Raise UserError for a path whose file cannot be found before folders are made, though it may be there."""
    for length, part in enumerate(path.parts):
        if length and part == ".." and not (way := Path(*path.parts[:length])).exists():
            raise UserError(f"writing {path}: there is no folder {way}; leave it out, with the .. behind it")


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file whole or not at all; see `atomic_write`."""
    with atomic_write(path) as stream:
        stream.write(text.encode("utf-8"))


def read_file(path: Path, most: int = MOST_BYTES, *, follows: bool = True) -> bytes:
    """The content of a file; never waits, as reading a pipe would, and never goes on for ever, as a device does.

    Args:
        follows: where the path is a link, the file that it leads to; otherwise that is an error.

    Raises:
        OSError: if it is missing, is not a regular file, or has more than `most` bytes.
    """
    further = _WITHOUT_WAITING | (0 if follows else os.O_NOFOLLOW)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | further)) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(errno.EINVAL, "a pipe or device, not a file", str(path))
        if os.fstat(stream.fileno()).st_size > most:
            raise OSError(errno.EFBIG, f"larger than {most} bytes", str(path))
        return stream.read()


def read_named(path: Path, most: int = MOST_BYTES) -> bytes:
    """The same of a file that somebody named.

    Raises:
        UserError: where `read_file` raises OSError.
    """
    try:
        return read_file(path, most)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}; name a file that can be read") from error
