"""A store that keeps itself in a folder: a fresh one for each case, and whichever is opened."""

from pathlib import Path

from forgeteval.stores.contract import Backend
from lethe.systems.case_folders import CaseFolders


class FolderBackend(Backend):
    """What such stores have in common; a subclass says how one is begun in a folder, and shut.

    Attributes:
        folder: in which the store is.
    """

    def __init__(self) -> None:
        self._folders = CaseFolders("store")
        self._enter(self._folders.next())

    def begin(self, folder: Path) -> None:
        """Open the store that is in the folder; a new one where there is none."""
        raise NotImplementedError("it keeps nothing in a folder")

    def reset(self) -> None:
        self.shut()
        self._enter(self._folders.next())

    def open(self, folder: Path) -> None:
        self.shut()
        self._enter(folder)

    def close(self) -> None:
        self.shut()
        self._folders.remove()

    def stored_bytes(self) -> bytes:
        """Every file in the folder."""
        files = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return b"\n".join(path.read_bytes() for path in files)

    def _enter(self, folder: Path) -> None:
        self.folder = folder
        self.begin(folder)
