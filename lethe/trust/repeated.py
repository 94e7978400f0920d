"""Every step of the analysis repeated from its inputs, and its outputs compared with what was handed on."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from lethe.parquet import Row
from lethe.schemas import REPLICATION, Table
from lethe.study.inputs import PUBLISHED_FILE, Files
from lethe.study.plan import every_step
from lethe.study.replication.compare import compare_published, replication_inputs
from lethe.study.setup import Setup
from lethe.study.step import Planned
from lethe.trust.differing_rows import compare_rows, files_named
from lethe.trust.record import Audit

_ANALYSIS = "results/analysis/"


def check_repeated(setup: Setup, files: Files, listed: Collection[str], audit: Audit) -> None:
    """Repeat each step of which the manifest lists an output, once.

    Args:
        listed: the files of the manifest.
    """
    left = {name for name in listed if name.startswith(_ANALYSIS)}
    for planned in audit.each("steps of the analysis", every_step(setup)):
        outputs = left.intersection(planned.outputs)
        if outputs:
            audit.collect(", ".join(sorted(outputs)), _check_step(planned, outputs, files))
            left -= outputs
            audit.checked["analysis files"] += len(outputs)
    if REPLICATION.path in left:
        audit.collect(REPLICATION.path, _check_published(setup, files))
        left.remove(REPLICATION.path)
        audit.checked["analysis files"] += 1
    audit.taken += [
        f"{name}: follows from no file of the results that a step of this configuration reads" for name in sorted(left)
    ]


def _check_step(planned: Planned, outputs: Collection[str], files: Files) -> Iterator[str]:
    made = planned.repeat(files)
    for path, table in planned.outputs.items():
        if path in outputs:
            yield from _compare(path, table, made[path], files, files_named(planned.reads))


def _check_published(setup: Setup, files: Files) -> Iterator[str]:
    source = f"{PUBLISHED_FILE}, {files_named(replication_inputs(setup))}"
    yield from _compare(REPLICATION.path, REPLICATION, compare_published(setup, files), files, source)


def _compare(path: str, table: Table, made: Sequence[Row], files: Files, source: str) -> Iterator[str]:
    """Where a file does not follow; where it does, what is made of it is made of the numbers as they were repeated."""
    found = files.rows(table, path)
    differences = list(compare_rows(path, table, made, found, source))
    yield from differences
    if not differences and list(made) != found:
        files.put(path, [_as_made(*pair) for pair in zip(made, found, strict=True)])


def _as_made(made: Any, found: Any) -> Any:
    """What was found, with the real numbers that were made: within what is allowed, a count may be another one."""
    match found:
        case dict():
            return {name: _as_made(made.get(name), value) for name, value in found.items()}
        case list() if made is not None:
            return [_as_made(*pair) for pair in zip(made, found, strict=True)]
        case float() if isinstance(made, float):
            return float(made)
    return found
