"""The table of purges of docs/store.md: what a purge costs beside sqlite-vec's deletes of the same rows.

`python benchmarks/store_purge.py --sizes 10000`, with `envs/bench_peers.lock` installed. The peer keeps the same
vectors, texts and words, these in FTS5 with `secure-delete`. It deletes the vectors alone, or all three; and it empties
its write-ahead log, as Lethe does. Each number of memories is deleted at once, in one transaction; medians in
milliseconds of processor time.
"""

import argparse
import functools
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
REPETITIONS = {1: 31, 10: 15, 100: 5, 1000: 3}
_WORDS = """
CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT);
CREATE VIRTUAL TABLE f USING fts5(text, content = 't', content_rowid = 'id', tokenize = 'porter unicode61');
INSERT INTO f (f, rank) VALUES ('secure-delete', 1);
"""


class Peer:
    """sqlite-vec, with the texts and their words beside it."""

    def __init__(self, folder: Path, texts: Sequence[str], vectors: Any) -> None:
        from store_peers import SqliteVec

        folder.mkdir()
        self._texts = texts
        peer = SqliteVec(folder)
        peer.add(texts, vectors)
        self._sql = peer._sql
        self._sql.execute(_WORDS).fetchall()
        with self._sql:
            self._sql.executemany("INSERT INTO t VALUES (?, ?)", enumerate(texts, start=1))
            self._sql.executemany("INSERT INTO f (rowid, text) VALUES (?, ?)", enumerate(texts, start=1))
        self._empty_log()

    def _empty_log(self) -> None:
        self._sql.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def delete_vectors(self, numbers: Sequence[int]) -> None:
        with self._sql:
            self._sql.executemany("DELETE FROM v WHERE id = ?", ((number,) for number in numbers))
        self._empty_log()

    def delete_all(self, numbers: Sequence[int]) -> None:
        rows = [(number, self._texts[number - 1]) for number in numbers]
        with self._sql:
            self._sql.executemany("DELETE FROM v WHERE id = ?", ((number,) for number in numbers))
            self._sql.executemany("DELETE FROM t WHERE id = ?", ((number,) for number in numbers))
            self._sql.executemany("INSERT INTO f (f, rowid, text) VALUES ('delete', ?, ?)", rows)
        self._empty_log()


def rows(size: int, folder: Path) -> None:
    """Print the rows of a store of that size."""
    from store_peers import Lethe, LetheKeyed
    from store_table import made, timed

    texts, vectors, _ = made(size)
    stores = [Lethe(folder / "plain"), LetheKeyed(folder / "keyed")]
    for store in stores:
        store.add(texts, vectors)
    peer = Peer(folder / "peer", texts, vectors)
    acts: list[Callable[[Sequence[int]], object]] = [store._store.purge_many for store in stores]
    acts += [peer.delete_vectors, peer.delete_all]
    first = 1
    for count, repetitions in REPETITIONS.items():
        times: list[list[float]] = []
        for _ in range(repetitions):
            # What the peer deletes the vectors of, it cannot delete all of.
            given = [range(start, start + count) for start in (first, first, first, size // 2 + first)]
            times.append([timed(functools.partial(act, numbers)) for act, numbers in zip(acts, given, strict=True)])
            first += count
        plain, keyed, of_vectors, of_all = (statistics.median(column) for column in zip(*times, strict=True))
        cells = (plain, keyed, of_vectors, plain / of_vectors, of_all, plain / of_all, keyed / of_all)
        print(f"| {size:,} | {count:,} | {' | '.join(f'{cell:.3g}' for cell in cells)} |", flush=True)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000])
    sizes = parser.parse_args(arguments).sizes
    columns = (
        *("memories", "purged", "Lethe", "with a key", "vectors", "times"),
        *("vectors, texts, words", "times", "with a key, times"),
    )
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            rows(size, Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
