"""The data of other authors' benchmarks: nothing of a history is left out, and which files are taken as they are."""

from collections import Counter
from collections.abc import Iterator, Mapping

from lethe.parquet import Row
from lethe.schemas import CROSSEVAL_OPERATIONS, CROSSEVAL_QUESTIONS, CROSSEVAL_SIZES, Table
from lethe.study.inputs import Files
from lethe.study.setup import Setup
from lethe.trust.differing_rows import shortened
from lethe.trust.record import Audit

_COUNTED: Mapping[str, Table] = {"operations": CROSSEVAL_OPERATIONS, "questions": CROSSEVAL_QUESTIONS}
"""What `CROSSEVAL_SIZES` counts of each history."""


def check_benchmark_data(setup: Setup, files: Files, entries: Mapping[str, Row], audit: Audit) -> None:
    """Count the operations and questions of each history again, and say which files have them.

    Args:
        entries: what the manifest says of each file.
    """
    for benchmark, found in setup.benchmarks.items():
        if found.runs:
            path = CROSSEVAL_SIZES.path.format(benchmark=benchmark)
            audit.collect(path, _check(benchmark, path, files, entries, audit))


def _check(benchmark: str, sizes_path: str, files: Files, entries: Mapping[str, Row], audit: Audit) -> Iterator[str]:
    sizes = {row["history"]: row for row in files.rows(CROSSEVAL_SIZES, sizes_path)}
    for what, table in _COUNTED.items():
        path = table.path.format(benchmark=benchmark)
        found = files.rows(table, path)
        audit.taken.append(f"{path}: {len(found)} {what} from elsewhere, SHA-256 {entries[path]['sha256']}")
        says = Counter({history: row[what] for history, row in sizes.items()})
        counted = Counter(row["history"] for row in found)
        lines = (
            f"{path}: {history}: {counted[history]} {what}; {sizes_path} says {says[history]}"
            for history in sorted(says | counted)
            if counted[history] != says[history]
        )
        yield from shortened(path, lines, f"histories of other numbers of {what}")
