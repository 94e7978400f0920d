"""A step of the analysis: rows of some tables in, rows of others out; a script of the workflow runs it, and the audit
repeats it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from forgeteval.errors import UserError
from lethe.config.configurations import configuration_name
from lethe.parquet import Row, named_by, read_rows, write_rows
from lethe.schemas import Table
from lethe.study.inputs import Files
from lethe.study.setup import Setup

Rows = Sequence[Row]
Names = Mapping[str, str]
"""What fills in the paths of a step's outputs, such as the suite."""
OTHERS = "others"
"""In place of the names of inputs that a configuration names."""


class Work(NamedTuple):
    """What a step works on: the files of each input by its name, and the options of its `compute`."""

    inputs: Mapping[str, Sequence[str]]
    options: Mapping[str, Any] = {}


def once(_: Setup) -> Iterable[Names]:
    """A step that runs once under every configuration."""
    return [{}]


def each_suite(setup: Setup) -> Iterable[Names]:
    """A step that runs for each suite."""
    return [{"suite": suite} for suite in setup.suites]


@dataclass(frozen=True, slots=True)
class Step:
    """What is read, what is made of it, what is written, and on which files.

    Attributes:
        reads: kind of the files of each input, by its name; under `others`, of every further input, whatever its name.
        writes: kind of each output, by its name.
        compute: called with the rows of each input and with the options, all by name; gives the rows of each output.
        work: what it works on, called with the record of the study and the names of its outputs.
        over: the names of its outputs, once for each time that it can run, whether or not a table needs it.
    """

    reads: Mapping[str, Table]
    writes: Mapping[str, Table]
    compute: Callable[..., Mapping[str, Rows]]
    work: Callable[..., Work]
    over: Callable[[Setup], Iterable[Names]] = once

    def on(self, setup: Setup, **names: str) -> "Planned":
        """The step on the files of a study."""
        return Planned(self, *self.work(setup, **names), names)

    def repeat(
        self,
        inputs: Mapping[str, Iterable[str]],
        options: Mapping[str, Any],
        read: Callable[[Table, str], Rows],
    ) -> Mapping[str, Rows]:
        """The rows of each output, from the files of each input."""
        rows = {
            name: [row for path in paths for row in read(self.reads.get(name) or self.reads[OTHERS], path)]
            for name, paths in inputs.items()
        }
        return self.compute(**rows, **options)


@dataclass(frozen=True, slots=True)
class Planned:
    """A step on its files, which are relative to the output folder."""

    step: Step
    inputs: Mapping[str, Sequence[str]]
    options: Mapping[str, Any]
    names: Names

    @property
    def reads(self) -> set[str]:
        """Path of each input."""
        return set(chain(*self.inputs.values()))

    @property
    def outputs(self) -> dict[str, Table]:
        """Path of each output, and what it holds."""
        return {table.path.format(**self.names): table for table in self.step.writes.values()}

    def repeat(self, files: Files) -> dict[str, Rows]:
        """The rows of each output by its path, computed again."""
        found = self.step.repeat(self.inputs, self.options, files.rows)
        return dict(zip(self.outputs, (found[name] for name in self.step.writes), strict=True))


def run_step(step: Step, snakemake: Any) -> None:
    """Run a step as a job of the workflow, whose inputs and outputs have the step's names."""
    inputs = {name: _paths(files) for name, files in snakemake.input.items()}
    found = step.repeat(inputs, snakemake.params.options, _read)
    for name, table in step.writes.items():
        write_rows(Path(snakemake.output.get(name)), table, found[name], snakemake.params.fingerprint)


def _read(table: Table, path: str) -> Rows:
    """The rows of a file; UserError where it is named by one configuration and some of them are of another."""
    rows, system = read_rows(Path(path), table), named_by(Path(path), table).get("system")
    if system and (others := {*map(configuration_name, rows)} - {system}):
        raise UserError(f"{path}: holds {table.name} of the system {min(others)}; remove it and run again")
    return rows


def _paths(files: Any) -> list[str]:
    return [files] if isinstance(files, str) else list(files)
