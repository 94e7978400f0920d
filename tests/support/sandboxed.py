"""A program in the sandbox of the atlas's systems."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.paths import ROOT


def sandboxed(
    home: Path, program: Sequence[str], way: Sequence[str] = ("-m", "lethe.jobs.sandbox")
) -> "subprocess.CompletedProcess[str]":
    """What the program came to; the test is skipped where nothing can be confined."""
    command = [sys.executable, *way, str(home), *program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if "cannot be confined here" in done.stderr:
        pytest.skip(done.stderr.strip())
    return done
