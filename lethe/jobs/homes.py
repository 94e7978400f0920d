"""Where a worker's HOME stands, with whatever its system writes: in memory, since no trial outlives its run."""

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from forgeteval.errors import UserError
from lethe.folders import remove_folder
from lethe.processes import private_folder

MEMORY = Path("/dev/shm")
"""A file system in memory, where the machine has one."""
_ROOM_BYTES = 1 << 30


@contextmanager
def worker_home(journal: Path, in_memory: bool) -> Iterator[Path]:
    """A path for the HOME of a run's worker, which is made and removed by others.

    Args:
        journal: file that it stands beside on disk, where there is no room in memory.
    """
    folder = _folder_in_memory(journal) if in_memory else None
    if folder is None:
        yield journal.with_suffix(".home")
        return
    try:
        yield folder / "home"
    finally:
        remove_folder(folder)


def _folder_in_memory(journal: Path) -> Path | None:
    """A folder of this process for a journal's run; None where none can be had, for whatever reason."""
    name = hashlib.sha256(str(journal.absolute()).encode()).hexdigest()[:16]
    try:
        room = shutil.disk_usage(MEMORY).free > _ROOM_BYTES
        return private_folder(MEMORY, psutil.Process(), name) if room else None
    except (OSError, UserError):
        return None
