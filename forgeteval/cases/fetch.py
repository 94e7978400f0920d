"""Fetching the cases of a suite of other authors and checking them against their pinned checksum."""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from forgeteval.cases.imported import read_source
from forgeteval.cases.released import read_released
from forgeteval.download import download
from forgeteval.errors import UserError
from forgeteval.files import atomic_write, read_file
from forgeteval.foreign import Ended, apart
from forgeteval.limits import Limits

_LIMITS = Limits(memory=2 << 30, seconds=600)
"""Of reading the cases."""


def fetch_suite(name: str, options: Mapping[str, Any]) -> str:
    """Make `options["source"]` hold the released cases; what stands there already is only checked.

    A first address that ends in .py or .json is the authors' own form (see `forgeteval.cases.released`), which is
    written as JSON Lines; anything else is kept as it is.

    Returns:
        One line: the path, how many cases it has, their SHA-256 and whether they were fetched.

    Raises:
        UserError: where the checksum is not met or the server gives nothing (not even the folder is made then), or the
            file cannot be written.
    """
    path = Path(options["source"])
    if path.exists():
        try:
            return _described(name, path, path, options, "there already")
        except UserError as error:
            raise UserError(f"{error}; to fetch it again, remove {path}") from error
    with tempfile.TemporaryDirectory() as scratch:
        files = [Path(scratch, f"{number}-{PurePosixPath(url).name}") for number, url in enumerate(options["url"])]
        for url, file in zip(options["url"], files, strict=True):
            download(url, file, f"suites.{name}.url")
        try:
            cases, described = apart(_read, name, files, path, options, limits=_LIMITS)
        except UserError as error:
            said = error.problem if isinstance(error, Ended) else str(error).replace(f"{scratch}{os.sep}", "")
            raise UserError(f"suites.{name}.url: {said}; correct the address, or fetch by hand") from error
        with atomic_write(path) as stream:
            stream.write(read_file(cases))
    return described


def _read(name: str, files: Sequence[Path], path: Path, options: Mapping[str, Any]) -> tuple[Path, str]:
    """A file of the cases that were fetched, and a line on them."""
    cases = files[0]
    if cases.suffix in (".py", ".json"):
        records = read_released(files)
        cases = cases.with_name("cases.jsonl")
        try:
            cases.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")
        except (TypeError, ValueError) as error:
            raise UserError(f"a case holds what is not text ({error})") from error
    # What a case does not say of itself, it has from the name of its file.
    cases = cases.rename(cases.with_name(path.name))
    return cases, _described(name, cases, path, options, "fetched")


def _described(name: str, found: Path, path: Path, options: Mapping[str, Any], how: str) -> str:
    cases = read_source(name, found, options)
    return f"{path}: {len(cases)} cases, sha256 {options['sha256']}, {how}"
