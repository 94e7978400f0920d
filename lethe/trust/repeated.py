"""Every step of the analysis repeated from its inputs, and its outputs compared with what was handed on."""

from collections.abc import Collection, Iterator

from lethe.schemas import REPLICATION
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
            yield from compare_rows(path, table, made[path], files.rows(table, path), files_named(planned.reads))


def _check_published(setup: Setup, files: Files) -> Iterator[str]:
    made = compare_published(setup, files)
    source = f"{PUBLISHED_FILE}, {files_named(replication_inputs(setup))}"
    yield from compare_rows(REPLICATION.path, REPLICATION, made, files.rows(REPLICATION, REPLICATION.path), source)
