"""The files that a table, a figure or a comparison reads: those it declared, each read once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from lethe.analysis.published import Published, read_published
from lethe.analysis.results import SuiteResults
from lethe.analysis.setup import Setup
from lethe.errors import LetheError
from lethe.fingerprints import PACKAGE
from lethe.parquet import Row, read_rows
from lethe.schemas import SCORES, Table

PUBLISHED = "config/published.csv"
"""The one input that stands in the project, not below the output folder."""
PROJECT_PUBLISHED = PACKAGE.parent / PUBLISHED


@dataclass(frozen=True, slots=True)
class Inputs:
    """A reader of declared files.

    Attributes:
        root: the output folder, which holds `results`.
        declared: paths relative to `root`, and `PUBLISHED`.
    """

    setup: Setup
    root: Path
    declared: frozenset[str] = frozenset()
    _read: dict[str, Any] = field(default_factory=dict)

    def only(self, declared: Iterable[str]) -> "Inputs":
        """The same files, of which others may be read; what was read before is kept."""
        return replace(self, declared=frozenset(declared))

    def rows(self, table: Table, **names: str) -> Sequence[Row]:
        """Rows of one Parquet file; `names` fill in its path. The same list each time: leave it as it is.

        Raises:
            LetheError: where the file is not declared, leaves the output folder or cannot be read.
        """
        path = table.path.format(**names)
        self._require(path)
        if path not in self._read:
            self._read[path] = read_rows(self.root / path, table)
        rows: Sequence[Row] = self._read[path]
        return rows

    def results(self, suite: str) -> SuiteResults:
        """The scores of one suite."""
        return SuiteResults.of(self.rows(SCORES, suite=suite), suite, self.setup)

    def published(self) -> Published:
        """The numbers that the paper printed."""
        self._require(PUBLISHED)
        if PUBLISHED not in self._read:
            self._read[PUBLISHED] = read_published(PROJECT_PUBLISHED)
        numbers: Published = self._read[PUBLISHED]
        return numbers

    def _require(self, path: str) -> None:
        if path not in self.declared:
            raise LetheError(f"{path}: read, but not declared as an input")
        require_inside(path)


def require_inside(path: str) -> None:
    """Raise LetheError where a path, taken as relative to a folder, leaves it."""
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts:
        raise LetheError(f"{path}: leaves the folder of the results")
