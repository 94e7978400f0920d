"""Suites of other authors: which there are, the folder where their files stand, and fetching them into it."""

import functools
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.cases.imported import imported_cases
from forgeteval.errors import UserError
from forgeteval.yaml_data import read_yaml_data

DATA_FILES = ("others.yaml",)
FOLDER_VARIABLE = "FORGETEVAL_DATA"
"""Environment variable that names the folder of the data."""
_FETCHED_INTO = Path("datasets")
_BESIDE_A_CLONE = Path("../shared/datasets")


@functools.cache
def other_suites() -> Mapping[str, Mapping[str, Any]]:
    """What is pinned of each suite by its name: label, number of cases, file, checksum and addresses."""
    found: Mapping[str, Mapping[str, Any]] = read_yaml_data(Path(__file__).with_name(DATA_FILES[0]))["suites"]
    return found


def find_other(name: str, folder: Path | None = None) -> Path | None:
    """The first folder that has the file of a suite; None where there is none.

    Args:
        folder: looked into first, before that of `FORGETEVAL_DATA`, `datasets`, and `../shared/datasets`.
    """
    source = other_suites()[name]["source"]
    return next((each for each in _folders(folder) if (each / source).is_file()), None)


def read_other(name: str, folder: Path | None = None) -> list[Case]:
    """The cases of a suite of other authors; the labels of the published ones count where they are there.

    Raises:
        UserError: where the file is not there, is malformed, or does not have the pinned checksum.
    """
    found = find_other(name, folder)
    if found is None:
        looked_into = ", ".join(map(str, _folders(folder)))
        remedy = f"run `forgeteval fetch {name}`, or name the folder of the data by {FOLDER_VARIABLE}"
        raise UserError(f"suite {name}: {other_suites()[name]['source']} is not in {looked_into}; {remedy}")
    return imported_cases(name, _options(name, found))


def fetch(name: str, folder: Path | None = None) -> str:
    """Fetch the cases of a suite of other authors; see `forgeteval.cases.fetch.fetch_suite`.

    Args:
        folder: of the data; that of `FORGETEVAL_DATA`, or else `datasets`, if None.

    Raises:
        UserError: where there is no such suite, it cannot be fetched, or is not what is pinned; nothing is kept then.
    """
    if name not in other_suites():
        raise UserError(f"suite {name!r}: cannot be fetched; known: {', '.join(other_suites())}")
    # Takes as long to import as the rest of the cases; reading needs no HTTP.
    from forgeteval.cases.fetch import fetch_suite

    return fetch_suite(name, _options(name, next(_folders(folder))))


def _options(name: str, folder: Path) -> dict[str, Any]:
    options = {**other_suites()[name]}
    paths = {key: folder / options.pop(key) for key in ("source", "labels") if key in options}
    return options | {key: path for key, path in paths.items() if key == "source" or path.is_file()}


def _folders(folder: Path | None) -> Iterator[Path]:
    if folder is not None:
        yield folder
    if named := os.environ.get(FOLDER_VARIABLE):
        yield Path(named)
    yield _FETCHED_INTO
    yield _BESIDE_A_CLONE
