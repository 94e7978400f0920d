"""A step of the analysis on its files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lethe.schemas import Table
from lethe.study.inputs import Files
from lethe.study.step import Rows, Step


@dataclass(frozen=True, slots=True)
class Planned:
    """A step on its files, which are relative to the output folder.

    Attributes:
        inputs: files of each input of the step, by its name.
        options: of the step's `compute`.
        names: what fills in the paths of its outputs, such as the suite.
    """

    step: Step
    inputs: Mapping[str, Sequence[str]]
    options: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def outputs(self) -> dict[str, Table]:
        """Path of each output, and what it holds."""
        return {table.path.format(**self.names): table for table in self.step.writes.values()}

    def repeat(self, files: Files) -> dict[str, Rows]:
        """The rows of each output by its path, computed again."""
        found = self.step.repeat(self.inputs, self.options, lambda path, table: files.rows(table, path))
        return dict(zip(self.outputs, (found[name] for name in self.step.writes), strict=True))
