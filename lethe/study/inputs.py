"""What a table, a figure or a comparison is made of: files below the output folder, and how each is read."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from forgeteval.errors import UserError
from lethe.fingerprints import SHIPPED
from lethe.parquet import Row, read_rows
from lethe.schemas import HANDED_IN, SCORES, VECTORS, Table
from lethe.study.published import Published, read_published
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup

PUBLISHED_FILE = "config/published.csv"
"""The one input that stands in the project, not below the output folder."""
PROJECT_PUBLISHED = SHIPPED / PUBLISHED_FILE


@dataclass(frozen=True, slots=True)
class Files:
    """The files below an output folder, each read once.

    Attributes:
        listed: those that may be read; any, if None.
    """

    root: Path
    listed: Collection[str] | None = None
    _read: dict[str, Any] = field(default_factory=dict)

    def rows(self, table: Table, path: str) -> list[Row]:
        """Rows of a Parquet file; the same list each time, except of vectors, which are large: leave it as it is.

        Raises:
            UserError: where the path leaves the folder, the file is none of those listed, or it cannot be read.
        """
        parts = PurePosixPath(path)
        if parts.is_absolute() or ".." in parts.parts:
            raise UserError(f"{path}: leaves the folder of the results")
        if self.listed is not None and path not in self.listed:
            raise UserError(f"{path}: not there, or not in the manifest")
        rows: list[Row] = self._read[path] if path in self._read else [*read_rows(self.root / path, table)]
        if table is not VECTORS:
            self._read[path] = rows
        return rows

    def has(self, path: str) -> bool:
        """Whether the folder lists a file."""
        return self.listed is not None and path in self.listed

    def put(self, path: str, rows: list[Row]) -> None:
        """Have these rows stand for those of a Parquet file from here on."""
        self._read[path] = rows

    def published(self) -> Published:
        """The numbers that the paper printed."""
        if PUBLISHED_FILE not in self._read:
            self._read[PUBLISHED_FILE] = read_published(PROJECT_PUBLISHED)
        numbers: Published = self._read[PUBLISHED_FILE]
        return numbers


@dataclass(frozen=True, slots=True)
class Input:
    """One argument of a builder: the paths of its files, and how it is read from them."""

    paths: tuple[str, ...]
    load: Callable[[Files], Any]


PUBLISHED = Input((PUBLISHED_FILE,), Files.published)


def given(value: Any) -> Input:
    """An argument that stands in no file."""
    return Input((), lambda _: value)


def rows(table: Table, **names: str) -> Input:
    """Rows of one Parquet file; `names` fill in its path."""
    path = table.path.format(**names)
    return Input((path,), lambda files: files.rows(table, path))


def joined(inputs: Iterable[Input]) -> Input:
    """The rows of several files, one after another."""
    parts = list(inputs)
    return Input(paths_of(parts), lambda files: [row for part in parts for row in part.load(files)])


def listed(inputs: Iterable[Input]) -> Input:
    """Several arguments as one list."""
    parts = list(inputs)
    return Input(paths_of(parts), lambda files: [part.load(files) for part in parts])


def keyed(inputs: Mapping[str, Input]) -> Input:
    """Several arguments by name."""
    return Input(paths_of(inputs.values()), lambda files: {name: part.load(files) for name, part in inputs.items()})


def results(setup: Setup, suite: str) -> Input:
    """The scores of one suite, as `SuiteResults`."""
    scores = rows(SCORES, suite=suite)
    return Input(scores.paths, lambda files: SuiteResults.of(scores.load(files), suite, setup))


def handed_in(setup: Setup) -> Input:
    """Rows of `lethe.schemas.HANDED_IN`, all that is shown."""
    runs = setup.handed_in_runs()
    return joined(rows(HANDED_IN, by=by, system=name, suite=suite) for by, name, suite in runs)


def paths_of(inputs: Iterable[Input]) -> tuple[str, ...]:
    """The paths of several arguments."""
    return tuple(path for part in inputs for path in part.paths)
