"""One folder per case for embedded databases: each is a copy of an empty one, where that is slow to create."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


class CaseFolders:
    """Copies of one prepared folder, each under a new name, because embedded databases cache by path.

    Args:
        name: prefix of the temporary folder's name.
        prepare: creates the given folder with an empty database in it, and closes that database; a plain folder where
            none is given.
    """

    def __init__(self, name: str, prepare: Callable[[Path], None] = Path.mkdir) -> None:
        self._root = Path(tempfile.mkdtemp(prefix=f"{name}-"))
        self._empty = self._root / "empty"
        self._count = 0
        self.current = self._empty
        prepare(self._empty)

    def next(self) -> Path:
        """Remove the current folder, whose database must be closed, and return a fresh one.

        Threads of a closed database may still remove files of their own; `remove` takes what they leave.
        """
        if self.current != self._empty:
            shutil.rmtree(self.current, ignore_errors=True)
        self._count += 1
        self.current = self._root / str(self._count)
        shutil.copytree(self._empty, self.current)
        return self.current

    def sqlite_bytes(self) -> bytes:
        """The SQLite files of the current folder, journals included."""
        return b"\n".join(path.read_bytes() for path in sorted(self.current.glob("*.sqlite3*")))

    def remove(self) -> None:
        """Remove every folder."""
        shutil.rmtree(self._root, ignore_errors=True)
