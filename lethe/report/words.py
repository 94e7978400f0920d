"""What the page says in words: of systems, of what is measured, and its glossary."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from forgeteval.yaml_data import read_yaml_data

DATA_FILES = ("words.yaml",)
WORDS: Mapping[str, Any] = read_yaml_data(Path(__file__).with_name(DATA_FILES[0]))
