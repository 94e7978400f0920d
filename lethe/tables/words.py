"""Words for machine names: of categories, parts of a suite, regimes, and what the paper's tables are about."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

DATA_FILES = ("words.yaml",)
_WORDS: Mapping[str, str] = yaml.safe_load(Path(__file__).with_name(DATA_FILES[0]).read_text(encoding="utf-8"))


def words(name: str) -> str:
    """What people read for a machine name: `substring_trap` is Substring trap."""
    return _WORDS.get(name) or _plain(name)


def words_within(name: str) -> str:
    """The same inside a sentence or a longer head."""
    return _WORDS.get(name) or name.replace("_", " ")


def distinct_words(names: Sequence[str]) -> list[str]:
    """The words for each of several names; those that would read alike stay as they are."""
    times = Counter(map(words, names))
    return [words(name) if times[words(name)] == 1 else name for name in names]


def _plain(name: str) -> str:
    spaced = name.replace("_", " ")
    return spaced[:1].upper() + spaced[1:]
