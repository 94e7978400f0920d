"""A folder a case for embedded databases that take long to create one: each is a copy of an empty one."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


class CaseFolders:
    """Copies of one prepared folder, under ever new names: embedded databases keep what they know by path.

    Args:
        name: what the temporary folder's name begins with.
        prepare: creates a folder with the empty database, and closes that.
    """

    def __init__(self, name: str, prepare: Callable[[Path], None]) -> None:
        self._root = Path(tempfile.mkdtemp(prefix=f"{name}-"))
        self._empty = self._root / "empty"
        self._count = 0
        self.current = self._empty
        prepare(self._empty)

    def next(self) -> Path:
        """Remove the current folder, whose database must be closed, and give a fresh one."""
        if self.current != self._empty:
            shutil.rmtree(self.current)
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
