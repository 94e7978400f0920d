"""Fetching the cases of a suite of other authors and checking them against their pinned checksum."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from forgeteval.cases.imported import read_source
from forgeteval.cases.released import read_released
from forgeteval.download import download
from forgeteval.errors import UserError
from forgeteval.files import atomic_write, read_file


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
        return _described(name, path, path, options, "there already")
    with tempfile.TemporaryDirectory() as scratch:
        files = [Path(scratch, f"{number}-{PurePosixPath(url).name}") for number, url in enumerate(options["url"])]
        for url, file in zip(options["url"], files, strict=True):
            download(url, file, f"suites.{name}.url")
        cases = files[0]
        if cases.suffix in (".py", ".json"):
            records = read_released(files)
            cases = Path(scratch, "cases.jsonl")
            try:
                cases.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")
            except (TypeError, ValueError) as error:
                raise UserError(f"suites.{name}.url: a case holds what is not text ({error})") from error
        described = _described(name, cases, path, options, "fetched")
        with atomic_write(path) as stream:
            stream.write(read_file(cases))
    return described


def _described(name: str, found: Path, path: Path, options: Mapping[str, Any], how: str) -> str:
    cases = read_source(name, found, options)
    return f"{path}: {len(cases)} cases, sha256 {options['sha256']}, {how}"
