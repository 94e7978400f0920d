"""What the store makes in a folder is for its user alone, and its user can use it, whatever the umask."""

import contextlib
import errno
import os
import stat
import tempfile
from pathlib import Path

FILE_MODE = 0o600
_FOLDER_MODE = 0o700
_WITHOUT_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS)
"""What a file system answers that has no hard links: that of a memory stick, say."""


def keep_usable(path: str | Path) -> None:
    """Give a new file or folder the rights of its user that the umask took from it."""
    mode = os.stat(path).st_mode  # noqa: PTH116
    wanted = _FOLDER_MODE if stat.S_ISDIR(mode) else FILE_MODE
    # Where nothing is missing, nothing is changed: some file systems refuse it.
    if mode & wanted != wanted:
        os.chmod(path, wanted)  # noqa: PTH101


def make(path: Path, content: bytes) -> None:
    """Make a file; it appears whole or not at all. `FileExistsError` if there is one of that name."""
    descriptor, whole = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            keep_usable(whole)
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        place(whole, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(whole).unlink()


def place(whole: str | Path, path: Path) -> None:
    """Give a file that is whole the name `path`; `FileExistsError` if there is one of that name."""
    try:
        path.hardlink_to(whole)
    except OSError as error:
        if error.errno not in _WITHOUT_LINKS:
            raise
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE))
        Path(whole).replace(path)
