"""Chroma's own vacuum: the command `chroma vacuum` of its package."""

import subprocess
import sys
from pathlib import Path

_PATIENCE_S = 600.0


def vacuum(folder: Path) -> None:
    """Vacuum the database in a folder, which no client may have open.

    Raises:
        RuntimeError: where the command fails, with what it said last.
    """
    command = [f"{sys.prefix}/bin/chroma", "vacuum", "--path", str(folder), "--force"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    if done.returncode:
        raise RuntimeError(f"chroma vacuum: {' '.join((done.stderr or done.stdout).split())[-200:]}")
