"""Files that are written whole or not at all, and read without waiting."""

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from forgeteval.errors import describe_os_error
from forgeteval.limits import MOST_BYTES

BEING_WRITTEN = ".unfinished"
"""How the name of a file ends until it is whole; it begins with a dot. A killed process leaves it."""
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)
"""Windows has no such flag, and no pipes among its files."""
_DEVICES = Path("/dev")


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Yield a binary stream that becomes `path` if the block succeeds, and leaves nothing behind if it fails.

    A device or a pipe, such as /dev/stdout, is written to, not replaced.

    Raises:
        UserError: if the directory is read-only or the disk is full.
    """
    temporary: str | None = None
    try:
        if _is_no_file(path):
            with path.open("wb") as stream:
                yield stream
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=BEING_WRITTEN)
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


def _is_no_file(path: Path) -> bool:
    """Whether there is something that cannot be replaced; /dev/stdout may lead to a file, which its reader has open."""
    return path.exists() and (not path.is_file() or path.absolute().parent == _DEVICES)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file whole or not at all; see `atomic_write`."""
    with atomic_write(path) as stream:
        stream.write(text.encode("utf-8"))


def read_file(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a file; never waits, as reading a pipe would, and never goes on for ever, as a device does.

    Raises:
        OSError: if it is missing, is not a regular file, or has more than `most` bytes.
    """
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | _WITHOUT_WAITING)) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(errno.EINVAL, "a pipe or device, not a file", str(path))
        if os.fstat(stream.fileno()).st_size > most:
            raise OSError(errno.EFBIG, f"larger than {most} bytes", str(path))
        return stream.read()
