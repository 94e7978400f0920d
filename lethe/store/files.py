"""What the store makes in a folder is for its user alone, and its user can use it, whatever the umask."""

import os
import stat
from pathlib import Path

FILE_MODE = 0o600
_FOLDER_MODE = 0o700


def keep_usable(path: str | Path) -> None:
    """Give a new file or folder the rights of its user that the umask took from it."""
    mode = os.stat(path).st_mode  # noqa: PTH116
    wanted = _FOLDER_MODE if stat.S_ISDIR(mode) else FILE_MODE
    # Where nothing is missing, nothing is changed: some file systems refuse it.
    if mode & wanted != wanted:
        os.chmod(path, wanted)  # noqa: PTH101
