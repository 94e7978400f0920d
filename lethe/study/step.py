"""A step of the analysis: rows of some tables in, rows of others out; a script of the workflow runs it, and the audit
repeats it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lethe.parquet import Row, read_rows, write_rows
from lethe.schemas import Table

Rows = Sequence[Row]
Reader = Callable[[str, Table], Rows]
"""What reads the rows of one file."""


OTHERS = "others"
"""In place of the names of inputs that a configuration names."""


@dataclass(frozen=True, slots=True)
class Step:
    """What is read, what is made of it, and what is written.

    Attributes:
        reads: kind of the files of each input, by its name; under `others`, of every further input, whatever its name.
        writes: kind of each output, by its name.
        compute: called with the rows of each input and with the options, all by name; gives the rows of each output.
    """

    reads: Mapping[str, Table]
    writes: Mapping[str, Table]
    compute: Callable[..., Mapping[str, Rows]]

    def repeat(
        self, inputs: Mapping[str, Iterable[str]], options: Mapping[str, Any], read: Reader
    ) -> Mapping[str, Rows]:
        """The rows of each output, from the files of each input."""
        rows = {
            name: [row for path in paths for row in read(path, self.reads.get(name) or self.reads[OTHERS])]
            for name, paths in inputs.items()
        }
        return self.compute(**rows, **options)


def run_step(step: Step, snakemake: Any) -> None:
    """Run a step as a job of the workflow, whose inputs and outputs have the step's names."""
    inputs = {name: _paths(files) for name, files in snakemake.input.items()}
    found = step.repeat(inputs, snakemake.params.options, lambda path, table: read_rows(Path(path), table))
    for name, table in step.writes.items():
        write_rows(Path(snakemake.output.get(name)), table, found[name], snakemake.params.fingerprint)


def _paths(files: Any) -> list[str]:
    return [files] if isinstance(files, str) else list(files)
