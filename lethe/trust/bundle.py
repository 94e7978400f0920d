"""The one file that is handed in: a gzipped tar archive, the same bytes each time, read as what an enemy made."""

import gzip
import io
import re
import tarfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from forgeteval.errors import UserError, describe_os_error
from forgeteval.files import atomic_write, read_file
from forgeteval.limits import MOST_PACKED, MOST_UNPACKED
from lethe.config.submission import (
    ADAPTER_FILE,
    LOCK_FILE,
    SIGNATURE_FILE,
    SUBMISSION_FILE,
    Submission,
    read_submission,
)
from lethe.fingerprints import sha256_of

_LARGEST = {SUBMISSION_FILE: 1 << 20, SIGNATURE_FILE: 1 << 16, LOCK_FILE: 4 << 20, ADAPTER_FILE: 1 << 20}
_LARGEST_TRIALS = 128 << 20
_TRIALS = re.compile(r"trials/[A-Za-z0-9][A-Za-z0-9_.+@-]{0,79}\.parquet")


def write_bundle(path: Path, files: Mapping[str, bytes]) -> None:
    """Write the files, by their paths in the bundle, as one archive that knows no time, no owner and no machine."""
    with (
        atomic_write(path) as stream,
        gzip.GzipFile("", "wb", 9, stream, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(files[name]), 0o644
            archive.addfile(member, io.BytesIO(files[name]))


def unpack_bundle(path: Path, folder: Path) -> Submission:
    """Write what a bundle may hold into an empty folder, and read its record.

    Raises:
        UserError: where it is not an archive, is too large, holds anything else, or its checksums are not those of its
            record; whatever was written by then is to be removed.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(_unpacked(path)), mode="r:") as archive:
            found = _members(path, archive)
            for member in found.values():
                content = archive.extractfile(member)
                assert content is not None
                target = folder / member.name
                target.parent.mkdir(exist_ok=True)
                target.write_bytes(content.read())
    except OSError as error:
        raise describe_os_error(error, f"unpacking {path} into {folder.parent}") from error
    except (tarfile.TarError, ValueError, OverflowError, RecursionError) as error:
        raise UserError(f"{path}: no archive of `forgeteval submit` ({' '.join(str(error).split())})") from error
    if SUBMISSION_FILE not in found:
        raise UserError(f"{path}: holds no {SUBMISSION_FILE}; `forgeteval submit` makes bundles")
    submission = read_submission(folder / SUBMISSION_FILE)
    sums = {name: sha256_of(folder / name) for name in found if name not in (SUBMISSION_FILE, SIGNATURE_FILE)}
    for name in sorted(sums.keys() | submission.files.keys()):
        if sums.get(name) != submission.files.get(name):
            raise UserError(f"{path}: {name}: not of the SHA-256 that {SUBMISSION_FILE} gives, or not in both")
    return submission


def _unpacked(path: Path) -> bytes:
    """The bytes of the tar archive."""
    if not path.is_file():
        raise UserError(f"{path}: no such file; name a bundle that `forgeteval submit` made")
    if path.stat().st_size > MOST_PACKED:
        raise UserError(f"{path}: larger than {MOST_PACKED} bytes; hand in fewer suites")
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(read_file(path))) as stream:
            found = stream.read(MOST_UNPACKED + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(
            f"{path}: cannot be read as a gzipped archive ({error}); `forgeteval submit` makes one"
        ) from error
    if len(found) > MOST_UNPACKED:
        raise UserError(f"{path}: more than {MOST_UNPACKED} bytes when unpacked; hand in fewer suites")
    return found


def _members(path: Path, archive: tarfile.TarFile) -> dict[str, tarfile.TarInfo]:
    """The files of an archive by name, each a plain one, known and given once."""
    found: dict[str, tarfile.TarInfo] = {}
    for member in archive:
        name = member.name
        largest = _LARGEST.get(name, _LARGEST_TRIALS if _TRIALS.fullmatch(name) else None)
        if largest is None or member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or member.sparse is not None:
            raise UserError(f"{path}: holds {name!r:.100}, which no bundle holds")
        if name in found:
            raise UserError(f"{path}: holds {name!r:.100} twice")
        if member.size > largest:
            raise UserError(f"{path}: {name:.100} is larger than {largest} bytes")
        found[name] = member
    return found
