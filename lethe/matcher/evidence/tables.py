"""The tables of the recognizers: words and forms as data, one file for each recognizer."""

import functools
from pathlib import Path
from typing import Any

import yaml

DATA_FILES = ("tables",)
_FOLDER = Path(__file__).with_name(DATA_FILES[0])


@functools.cache
def _read(recognizer: str) -> dict[str, Any]:
    text = (_FOLDER / f"{recognizer}.yaml").read_text(encoding="utf-8")
    read: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return read


def table(recognizer: str, name: str) -> Any:
    """A table of `tables/RECOGNIZER.yaml`."""
    return _read(recognizer)[name]
