"""Processes: the workflow that a job belongs to, and folders that last no longer than a process."""

import os
import stat
import threading
from pathlib import Path

import psutil

from forgeteval.errors import UserError
from lethe.folders import remove_folder

STARTED: set[int] = set()
"""Processes that this one has started itself in sessions of their own, and that end by other means."""
STARTING = threading.Lock()
"""Held from the start of such a process until it is in `STARTED`, and where those that are not in it are looked for."""


def workflow_process() -> psutil.Process | None:
    """The snakemake process above this one, if any; a shell may be between them."""
    for ancestor in psutil.Process().parents():
        words = [Path(word).name for word in ancestor.cmdline()[:4]]
        if "snakemake" in words:
            return ancestor
    return None


def folder_prefix() -> str:
    """How the private folders of this user begin where process numbers mean what they mean here."""
    try:
        namespace = Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        namespace = 0
    return f"lethe-{os.getuid()}-{namespace}"


def private_folder(parent: Path, owner: psutil.Process, name: str) -> Path:
    """A folder in a place that others share, of this user alone, for one process; those of processes that ended are
    removed.

    Args:
        name: what whoever knows the process finds it by.

    Raises:
        UserError: where somebody else made it.
        OSError: where it cannot be made.
    """
    mine = folder_prefix()
    for left_behind in parent.glob(f"{mine}-*-*-*"):
        _, _, _, pid, started, *_ = left_behind.name.split("-")
        if left_behind.lstat().st_uid == os.getuid() and _has_ended(pid, started):
            remove_folder(left_behind)
    whole = parent / f"{mine}-{owner.pid}-{owner.create_time():.0f}-{name}"
    whole.mkdir(mode=0o700, exist_ok=True)
    found = whole.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise UserError(f"{whole}: belongs to somebody else; remove it")
    return whole


def _has_ended(pid: str, started: str) -> bool:
    try:
        return f"{psutil.Process(int(pid)).create_time():.0f}" != started
    except psutil.NoSuchProcess:
        return True
    except (psutil.Error, ValueError, OverflowError):
        return False
