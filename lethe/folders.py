"""Folders that are removed or held, archives that are unpacked, and files that one process at a time changes."""

import contextlib
import fcntl
import gzip
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from forgeteval.errors import UserError, describe_os_error
from forgeteval.limits import MOST_BYTES

LOCK_PATIENCE_S = 60.0
_LOCK_POLL_S = 0.05
_GZIP = b"\x1f\x8b"


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process at a time through the block; `path` is a file of no other use."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def remove_folder(path: Path) -> None:
    """Remove a folder as far as that is possible, however deep it is and whatever its folders permit."""
    with contextlib.suppress(RecursionError):
        shutil.rmtree(path, ignore_errors=True)
    for command in (["rm", "-rf"], ["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        if os.path.lexists(path):
            subprocess.run([*command, "--", path], stderr=subprocess.DEVNULL, check=False)


def unpack_tar(archive: Path, folder: Path, *, most: int = MOST_BYTES) -> None:
    """Unpack the regular files of a tar archive, packed by gzip or plain, with their folders; the rest is left out.

    Args:
        most: bytes that it may unpack to.

    Raises:
        tarfile.TarError: where it is none, breaks off, is too large, or a path leads out of the folder; of the files
            before that some are there.
        OSError: where a file cannot be written.
    """
    with tempfile.TemporaryFile(dir=folder.parent) as plain:
        _unpack_gzip(archive, plain, most)
        plain.seek(0)
        _unpack_plain_tar(plain, folder, most)


def _unpack_gzip(archive: Path, plain: IO[bytes], most: int) -> None:
    with archive.open("rb") as packed:
        is_packed = packed.read(2) == _GZIP
        packed.seek(0)
        stream = gzip.GzipFile(fileobj=packed) if is_packed else packed
        left = most
        try:
            while block := stream.read(1 << 20):
                left -= len(block)
                if left < 0:
                    raise tarfile.TarError(f"it unpacks to more than {most:,} bytes")
                plain.write(block)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise tarfile.TarError(f"it breaks off or is damaged ({error})") from error


def _unpack_plain_tar(plain: IO[bytes], folder: Path, most: int) -> None:
    left = most
    with tarfile.open(fileobj=plain, mode="r:") as stream:
        for member in stream:
            # A sparse file is larger than what it takes in the archive.
            left -= member.size
            if left < 0:
                raise tarfile.TarError(f"it unpacks to more than {most:,} bytes")
            path = folder / member.name
            if not path.resolve().is_relative_to(folder.resolve()):
                raise tarfile.TarError(f"{member.name!r} leads out of the folder")
            if not member.isfile():
                continue
            content = stream.extractfile(member)
            assert content is not None
            path.parent.mkdir(parents=True, exist_ok=True)
            with content, path.open("wb") as file:
                shutil.copyfileobj(content, file)
            path.chmod(0o755 if member.mode & 0o100 else 0o644)


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a folder, made if it is missing, so that whoever else holds it waits until the block ends.

    Raises:
        UserError: where it cannot be made, or others hold it for longer than `LOCK_PATIENCE_S`.
    """
    deadline = time.monotonic() + LOCK_PATIENCE_S
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise describe_os_error(error, f"writing {folder}") from error
    try:
        while not _locked(descriptor):
            if time.monotonic() > deadline:
                raise UserError(f"{folder}: another process is writing there; wait for it or end it, then run again")
            time.sleep(_LOCK_POLL_S)
        yield
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
