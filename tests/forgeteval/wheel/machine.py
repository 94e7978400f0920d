"""The Pythons that a machine has."""

import os
import re
import subprocess
from functools import cache
from pathlib import Path

OLDEST = (3, 11)


@cache
def interpreters() -> list[Path]:
    """One Python of each version from 3.11 on that makes environments: on the PATH, or built by pyenv."""
    folders = [*map(Path, os.environ.get("PATH", "").split(os.pathsep)), *Path.home().glob(".pyenv/versions/*/bin")]
    found: dict[tuple[int, ...], Path] = {}
    for folder in folders:
        for python in folder.glob("python3.*"):
            version = _version(python)
            if version >= OLDEST and version not in found and _makes_environments(python):
                found[version] = python
    return [found[version] for version in sorted(found)]


def _version(python: Path) -> tuple[int, ...]:
    """What its name says; none where it is not an interpreter, but a name of pyenv's for whichever is chosen."""
    named = re.fullmatch(r"python(3)\.(\d+)", python.name)
    return tuple(map(int, named.groups())) if named and python.parent.name != "shims" else ()


def _makes_environments(python: Path) -> bool:
    probe = subprocess.run([python, "-c", "import ensurepip, venv"], capture_output=True, check=False)
    return probe.returncode == 0
