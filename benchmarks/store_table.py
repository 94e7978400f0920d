"""The table of speeds of docs/store.md: recall and deletion by id at size, on one core, beside a resident float32
matrix.

`python benchmarks/store_table.py --sizes 10000 100000`; with `envs/bench_peers.lock` installed, other stores stand in
it too, the others are named as missing. Each system runs in a process of its own, in which the matrix is measured as
well, in turn with it. Vectors are random unit vectors of 384 numbers; texts are twelve words of a vocabulary of 20,000
with frequencies as in a language (Zipf), queries three of the words of one text. Times are medians (and the 95th
percentile of a recall) in milliseconds of processor time, since wall time is that of a machine with other work.
"Found of 10" is the share of the ten nearest that a recall by vectors alone finds, which is below 1 for an approximate
index.
"""

import argparse
import functools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
ONE_THREAD = {
    f"{library}_THREADS": "1" for library in ("OMP_NUM", "OPENBLAS_NUM", "RAYON_NUM", "LANCE_CPU", "TOKIO_WORKER")
}
REPETITIONS, DELETIONS = 41, 15
COLUMNS = (
    *("memories", "recall", "p95", "matrix", "times the matrix", "found of 10"),
    *("deletion", "deletion, wall", "first recall", "build s"),
)


def made(count: int) -> tuple[list[str], Any, list[tuple[str, Any]]]:
    """Texts, their vectors, and queries with theirs."""
    import numpy as np

    chance = np.random.default_rng(0)
    share = 1 / np.arange(1, 20_001)
    words = chance.choice(20_000, (count, 12), p=share / share.sum())
    texts = [f"m{number} " + " ".join(f"w{word}x" for word in row) for number, row in enumerate(words.tolist())]
    vectors = np.empty((count, 384), dtype=np.float32)
    for start in range(0, count, 50_000):
        part = chance.standard_normal((min(50_000, count - start), 384), dtype=np.float32)
        vectors[start : start + 50_000] = part / np.linalg.norm(part, axis=1, keepdims=True)
    asked = chance.standard_normal((REPETITIONS + 1, 384), dtype=np.float32)
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    rows = chance.choice(count, REPETITIONS + 1)
    queries = [" ".join(f"w{word}x" for word in words[row][:3].tolist()) for row in rows]
    return texts, vectors, list(zip(queries, asked, strict=True))


def timed(act: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Milliseconds of processor time that `act` takes, or of another clock."""
    start = clock()
    act()
    return 1000 * (clock() - start)


def measure(name: str, count: int, folder: Path) -> dict[str, Any]:
    """One row of the table."""
    from store_peers import SYSTEMS, ResidentMatrix, numbers_of

    texts, vectors, queries = made(count)
    system, matrix = SYSTEMS[name](folder), ResidentMatrix(folder)
    build = timed(functools.partial(system.add, texts, vectors)) / 1000
    matrix.add(texts, vectors)
    del texts, vectors
    loading = timed(lambda: system.recall(*queries[0]))
    both = [(timed(lambda q=q: system.recall(*q)), timed(lambda q=q: matrix.recall(*q))) for q in queries[1:]]
    mine, reference = (statistics.median(times) for times in zip(*both, strict=True))
    slowest = statistics.quantiles((one for one, _ in both), n=20)[-1]
    exact = [set(numbers_of(matrix.recall(*query))) for query in queries]
    found = statistics.mean(
        len(best & set(numbers_of(system.recall(*q)))) / len(best) for q, best in zip(queries, exact, strict=True)
    )
    alone = found if system.by_vectors_alone else None
    ratio = statistics.median(one / other for one, other in both)
    numbers = range(count // 2, count // 2 + DELETIONS)
    deletion = statistics.median(timed(lambda number=number: system.delete(number)) for number in numbers)
    numbers = range(count // 2 + DELETIONS, count // 2 + 2 * DELETIONS)
    wall = statistics.median(
        timed(lambda number=number: system.delete(number), time.perf_counter) for number in numbers
    )
    times = (mine, slowest, reference, ratio, alone, deletion, wall, loading, build)
    return dict(zip(COLUMNS, (count, *times), strict=True))


def measured(name: str, count: int) -> dict[str, Any] | str:
    """The same in a process of its own on one core; why not, if it cannot be had."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--measure", name, "--sizes", str(count), "--folder", folder]
        core = {min(os.sched_getaffinity(0))} if hasattr(os, "sched_setaffinity") else None
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | ONE_THREAD,
            preexec_fn=(lambda: os.sched_setaffinity(0, core)) if core else None,
        )
    lines = done.stdout.splitlines()
    return json.loads(lines[-1]) if done.returncode == 0 else (done.stderr.splitlines() or ["it ended"])[-1]


def _shown(column: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,}" if column == "memories" else f"{value:,.3g}"


def main(arguments: Sequence[str]) -> None:
    from store_peers import SYSTEMS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS), choices=list(SYSTEMS))
    parser.add_argument("--measure", choices=list(SYSTEMS), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.measure:
        print(json.dumps(measure(given.measure, given.sizes[0], given.folder)))
        return
    print(f"| system | {' | '.join(COLUMNS)} |\n|---|{'---|' * len(COLUMNS)}")
    for count in given.sizes:
        for name in given.systems:
            row = measured(name, count)
            if isinstance(row, dict):
                cells = [_shown(column, row[column]) for column in COLUMNS]
            else:
                cells = [f"{count:,}", f"not measured: {row}"]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
