"""Digests of verdicts that depend on nothing but code, cases and versions: those of stores without hook and model."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lethe.config.configurations import Configuration
from lethe.parquet import read_arrow
from lethe.schemas import TRIALS
from lethe.study.alone import NO_MODEL
from lethe.study.setup import Setup

_VARYING = ("chroma", "autogen")
"""Backends that are left out. Several threads build Chroma's index, which AutoGen uses: of texts with the same
vector, as in scripts that the embedder does not know, each run finds others. One to three of 200 verdicts of
`languages` differed between three runs."""
_SHOWN = 12
"""Hexadecimal digits of a digest that people compare."""
_COLUMNS = ["case_id", "repetition", "verdict"]


@dataclass(frozen=True, slots=True)
class Digest:
    """The verdicts of one suite.

    Attributes:
        stores: how many configurations they are of.
        sha256: of a line for each trial: configuration, case, repetition, verdict, separated by tabs and sorted.
    """

    suite: str
    stores: int
    sha256: str

    def __str__(self) -> str:
        return f"{self.suite} {self.sha256[:_SHOWN]} ({self.stores})"


def verdict_digests(folder: Path, setup: Setup) -> Iterator[Digest]:
    """The digest of each suite on which a store without hook and model runs, by the name of the suite.

    Args:
        folder: contains `results`; what else ran there before does not count.
    """
    alone = [name for name, entry in setup.configurations.items() if _is_alone(entry)]
    for suite in sorted(setup.suites):
        places = {name: folder / TRIALS.path.format(suite=suite, system=name) for name in alone}
        runs = {name: path for name, path in places.items() if setup.runs(name, suite) and path.is_file()}
        if runs:
            lines = sorted(line for name, path in runs.items() for line in _lines(name, path))
            yield Digest(suite, len(runs), hashlib.sha256("".join(lines).encode()).hexdigest())


def _is_alone(entry: Configuration) -> bool:
    return entry.regime in NO_MODEL and entry.backend not in _VARYING


def _lines(name: str, path: Path) -> Iterator[str]:
    for row in read_arrow(path, TRIALS).select(_COLUMNS).to_pylist():
        yield "\t".join((name, *(str(row[column]) for column in _COLUMNS))) + "\n"
