"""Fetching a data set and checking it against its pinned checksum. The workflow itself never does; see
`forgeteval fetch`."""

import json
import os
import tarfile
import tempfile
from pathlib import Path

from forgeteval.download import download
from forgeteval.errors import UserError
from forgeteval.foreign import Ended, apart
from forgeteval.limits import Limits
from lethe.crosseval.datasets import data_files, data_sha256
from lethe.crosseval.released import Released
from lethe.folders import held, remove_folder, unpack_tar
from lethe.parquet import read_foreign

_LIMITS = Limits(memory=2 << 30, seconds=600)
"""Of unpacking a data set."""


def fetch_dataset(benchmark: str, released: Released, path: Path) -> str:
    """Make `path` hold the released data set; one that stands there already is only checked.

    Memora comes as an archive of its repository, of which the folder `weekly` is kept; FactConsolidation as the
    hub's Parquet file, written as JSON where the path ends in .json; LongMemEval and LoCoMo as they are.

    Returns:
        One line: the path, its SHA-256 and whether it was fetched.

    Raises:
        UserError: where the checksum is not met (nothing is kept then), or the server gives nothing.
    """
    # On the same file system, so that what is there is there whole; a failure does not even leave the folder.
    nearest = next(folder for folder in path.absolute().parents if folder.is_dir())
    with held(nearest):
        if data_files(path):
            if differs := _differs(data_sha256(path), released):
                raise UserError(f"{path}: {differs}; another release has other results: remove it, then fetch again")
            return f"{path}: sha256 {released.sha256}, there already"
        if os.path.lexists(path):
            raise UserError(f"{path}: is there and holds no data; remove it, then fetch again")
        scratch = Path(tempfile.mkdtemp(prefix=".fetched-", dir=nearest))
        try:
            fetched = scratch / "fetched"
            download(released.url, fetched, benchmark)
            unpacked, sha256 = apart(_unpacked, benchmark, fetched, path, scratch, limits=_LIMITS)
            if differs := _differs(sha256, released):
                raise _no_data_set(benchmark, differs)
            path.parent.mkdir(parents=True, exist_ok=True)
            unpacked.replace(path)
        except Ended as error:
            raise _no_data_set(benchmark, error.problem) from error
        finally:
            remove_folder(scratch)
    return f"{path}: sha256 {released.sha256}, fetched from {released.url}"


def _unpacked(benchmark: str, fetched: Path, path: Path, scratch: Path) -> tuple[Path, str]:
    """Where the data set stands that a fetched file holds, and its SHA-256."""
    try:
        unpacked = _unpack(fetched, path, scratch)
        return unpacked, data_sha256(unpacked)
    except (UserError, OSError, RecursionError, TypeError, ValueError, tarfile.TarError) as error:
        said = str(error).replace(f"{fetched}: ", "") or type(error).__name__
        raise _no_data_set(benchmark, said) from error


def _unpack(fetched: Path, path: Path, scratch: Path) -> Path:
    with fetched.open("rb") as stream:
        begins = stream.read(4)
    if not path.suffix:
        unpacked = scratch / "unpacked"
        unpack_tar(fetched, unpacked)
        folder = next((folder for folder in sorted(unpacked.rglob("weekly")) if folder.is_dir()), None)
        if folder is None:
            raise tarfile.TarError("it has no folder weekly")
        return folder
    if path.suffix == ".json" and begins == b"PAR1":
        written = scratch / "written.json"
        written.write_text(json.dumps(read_foreign(fetched).to_pylist(), ensure_ascii=False, indent=2), "utf-8")
        return written
    return fetched


def _no_data_set(benchmark: str, problem: str) -> UserError:
    return UserError(f"{benchmark}: what its address gives is not the data set ({problem:.200}); fetch it by hand")


def _differs(sha256: str, released: Released) -> str:
    return "" if sha256 == released.sha256 else f"sha256 is {sha256}, not {released.sha256}"
