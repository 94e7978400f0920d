"""The tables of the recognizers: words and forms as data, one file for each recognizer."""

import functools
from pathlib import Path
from typing import Any

from forgeteval.yaml_data import read_yaml_data

DATA_FILES = ("tables",)
_FOLDER = Path(__file__).with_name(DATA_FILES[0])


@functools.cache
def _read(recognizer: str) -> dict[str, Any]:
    read: dict[str, Any] = read_yaml_data(_FOLDER / f"{recognizer}.yaml")
    return read


def table(recognizer: str, name: str) -> Any:
    """A table of `tables/RECOGNIZER.yaml`."""
    return _read(recognizer)[name]
