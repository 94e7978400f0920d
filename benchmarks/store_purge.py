"""The table of purges of docs/store.md: what a purge costs beside sqlite-vec's deletes of the same rows.

`python benchmarks/store_purge.py --sizes 10000`, with `envs/bench_peers.lock` installed. The peer keeps the same
vectors, and in a second column the same texts and words too, in FTS5 with `secure-delete`; both empty their write-ahead
log. Each number of memories is deleted at once; medians in milliseconds of processor time.
"""

import argparse
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

    def delete_words(self, numbers: Sequence[int]) -> None:
        rows = [(number, self._texts[number - 1]) for number in numbers]
        with self._sql:
            self._sql.executemany("INSERT INTO f (f, rowid, text) VALUES ('delete', ?, ?)", rows)
            self._sql.executemany("DELETE FROM t WHERE id = ?", ((number,) for number in numbers))
        self._empty_log()


def rows(size: int, folder: Path) -> None:
    """Print the rows of a store of that size."""
    from store_peers import Lethe
    from store_table import made, timed

    texts, vectors, _ = made(size)
    lethe = Lethe(folder)
    lethe.add(texts, vectors)
    peer = Peer(folder / "peer", texts, vectors)
    start = 1
    for count, repetitions in REPETITIONS.items():
        times: list[tuple[float, float, float]] = []
        for _ in range(repetitions):
            numbers = range(start, start + count)
            acts: list[Callable[[Sequence[int]], object]] = [
                lethe._store.purge_many,
                peer.delete_vectors,
                peer.delete_words,
            ]
            mine, of_vectors, of_words = (timed(lambda act=act, numbers=numbers: act(numbers)) for act in acts)
            times.append((mine, of_vectors, of_vectors + of_words))
            start += count
        mine, of_vectors, of_all = (statistics.median(column) for column in zip(*times, strict=True))
        cells = (mine, of_vectors, mine / of_vectors, of_all, mine / of_all)
        print(f"| {size:,} | {count:,} | {' | '.join(f'{cell:.3g}' for cell in cells)} |", flush=True)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000])
    sizes = parser.parse_args(arguments).sizes
    columns = ("memories", "purged", "Lethe", "vectors", "times", "vectors, texts, words", "times")
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            rows(size, Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
