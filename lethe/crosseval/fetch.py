"""Fetching a data set and checking it against its pinned checksum. The workflow itself never does; see
`forgeteval fetch`."""

import hashlib
import json
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from forgeteval.download import download
from forgeteval.errors import UserError
from lethe.crosseval.datasets import data_files
from lethe.fingerprints import sha256_of
from lethe.folders import unpack_tar
from lethe.parquet import read_foreign


def data_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes; of a folder, of the lines `SHA-256  path below it` in the order of the paths."""
    if not path.is_dir():
        return sha256_of(path)
    lines = (f"{sha256_of(file)}  {file.relative_to(path).as_posix()}\n" for file in data_files(path))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def fetch_dataset(benchmark: str, options: Mapping[str, Any]) -> str:
    """Make `options["path"]` hold the released data set; one that stands there already is only checked.

    Memora comes as an archive of its repository, of which the folder `weekly` is kept; FactConsolidation as the
    hub's Parquet file, written as JSON where the path ends in .json; LongMemEval and LoCoMo as they are.

    Returns:
        One line: the path, its SHA-256 and whether it was fetched.

    Raises:
        UserError: where the checksum is not pinned or not met (nothing is kept then), or the server gives nothing.
    """
    path, expected = Path(options["path"]), options["sha256"]
    if data_files(path):
        _check(benchmark, path, path, expected)
        return f"{path}: sha256 {expected}, there already"
    if not expected:
        raise UserError(f"config: crosseval.{benchmark}.sha256: no checksum is pinned; give the one to expect")
    # On the same file system, so that what is there is there whole; a failure does not even leave the folder.
    nearest = next(folder for folder in path.absolute().parents if folder.is_dir())
    with tempfile.TemporaryDirectory(prefix=".fetched-", dir=nearest) as scratch:
        fetched = Path(scratch) / "fetched"
        download(options["url"], fetched, f"crosseval.{benchmark}.url")
        unpacked = _unpack(benchmark, fetched, path, Path(scratch))
        _check(benchmark, unpacked, path, expected)
        path.parent.mkdir(parents=True, exist_ok=True)
        unpacked.replace(path)
    return f"{path}: sha256 {expected}, fetched from {options['url']}"


def _unpack(benchmark: str, fetched: Path, path: Path, scratch: Path) -> Path:
    try:
        with fetched.open("rb") as stream:
            begins = stream.read(4)
        if begins[:1] not in b"{[" and begins != b"PAR1":
            unpacked = scratch / "unpacked"
            unpack_tar(fetched, unpacked)
            return next(folder for folder in sorted(unpacked.rglob("weekly")) if folder.is_dir())
        if path.suffix == ".json" and begins == b"PAR1":
            written = scratch / "written.json"
            written.write_text(json.dumps(read_foreign(fetched).to_pylist(), ensure_ascii=False, indent=2), "utf-8")
            return written
    except (OSError, StopIteration, tarfile.TarError) as error:
        raise UserError(f"crosseval.{benchmark}.url: its content is not the data set ({error!r})") from error
    return fetched


def _check(benchmark: str, found: Path, path: Path, expected: str) -> None:
    sha256 = data_sha256(found)
    if sha256 != expected:
        pinned = f"not the {expected} of crosseval.{benchmark}.sha256" if expected else "and none is pinned"
        raise UserError(f"{path}: sha256 is {sha256}, {pinned}; another release has other results")
