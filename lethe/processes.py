"""Processes: the workflow that a job belongs to."""

from pathlib import Path

import psutil


def workflow_process() -> psutil.Process | None:
    """The snakemake process above this one, if any; a shell may be between them."""
    for ancestor in psutil.Process().parents():
        words = [Path(word).name for word in ancestor.cmdline()[:4]]
        if "snakemake" in words:
            return ancestor
    return None
