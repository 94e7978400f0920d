"""The table of docs/store.md of what each index of vectors takes: memory, and the first recall after opening.

`python benchmarks/store_memory.py --sizes 100000`, with sqlite-vec installed. A file of so many memories is made once;
for each index a new process opens it, recalls by vectors and by both halves, and tells by how much its resident set
grew, in MB, and the milliseconds of processor time of the first recall. Vectors, texts and queries are those of
benchmarks/store_table.py.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
import psutil
from store_table import ONE_THREAD, made, timed

from lethe.store import Store
from lethe.store.scan import Index

_BATCH = 5000


def opened(folder: Path, known: Mapping[str, Any], index: Index) -> Store:
    """The store in the folder, with an embedder that knows the vectors of these texts."""
    return Store(
        folder / "m.db",
        embed=lambda texts: np.array([known[text] for text in texts]),
        dim=384,
        embedder="known",
        index=index,
    )


def build(folder: Path, count: int) -> None:
    """Make a store of so many memories in the folder."""
    texts, vectors, _ = made(count)
    for start in range(0, count, _BATCH):
        part = texts[start : start + _BATCH]
        with opened(folder, dict(zip(part, vectors[start : start + _BATCH], strict=True)), "matrix") as store:
            store.inscribe_many(part)


def measure(folder: Path, index: Index) -> dict[str, float]:
    """What the recalls of this process take."""
    queries = dict(made(100)[2])
    with opened(folder, queries, index) as store:
        before = _resident_mb()
        first = timed(lambda: store.recall(next(iter(queries)), mode="vector"))
        for query in queries:
            store.recall(query)
        return {"memory": _resident_mb() - before, "first": first}


def _resident_mb() -> float:
    """What of this process is in memory."""
    return float(psutil.Process().memory_info().rss) / 1e6


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.measure:
        print(json.dumps(measure(Path(given.measure[0]), given.measure[1])))
        return
    print("| memories | index | memory, MB | first recall, ms |\n|---|---|---|---|")
    for count in given.sizes:
        with tempfile.TemporaryDirectory() as folder:
            build(Path(folder), count)
            for index in get_args(Index):
                command = [sys.executable, __file__, "--measure", folder, index]
                done = subprocess.run(command, capture_output=True, check=True, env=os.environ | ONE_THREAD)
                row = json.loads(done.stdout)
                print(f"| {count:,} | {index} | {row['memory']:.3g} | {row['first']:.3g} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
