"""Where a worker's HOME stands, with whatever its system writes: in memory, since no trial outlives its run."""

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from forgeteval.errors import UserError
from lethe.folders import remove_folder
from lethe.processes import private_folder

MEMORY = Path("/dev/shm")
"""A file system in memory, where the machine has one."""
_ROOM_BYTES = 1 << 30


@contextmanager
def worker_home(kept: Path, in_memory: bool, name: str = "") -> Iterator[Path]:
    """A path for the HOME of a run's worker, which is made and removed by others.

    Args:
        kept: file that it stands beside on disk, where there is no room in memory.
        name: of the one workload that it is of, where another's worker must not clear it.
    """
    volatile = _folder_in_memory(kept) if in_memory else None
    folder = volatile or kept.with_suffix(f".{name}.home" if name else ".home")
    # A system may open its own folder to others; this one it cannot.
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    try:
        yield folder / "home"
    finally:
        if volatile:
            remove_folder(folder)
        else:
            with suppress(OSError):
                folder.rmdir()


def _folder_in_memory(kept: Path) -> Path | None:
    """A folder of this process for a run; None where none can be had, for whatever reason."""
    name = hashlib.sha256(str(kept.absolute()).encode()).hexdigest()[:16]
    try:
        room = shutil.disk_usage(MEMORY).free > _ROOM_BYTES
        return private_folder(MEMORY, psutil.Process(), name) if room else None
    except (OSError, UserError):
        return None
