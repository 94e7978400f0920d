"""Speed of `lethe.store` with the embedding free, on random unit vectors of 384 numbers.

Run by `pytest benchmarks/bench_store.py -o addopts= --benchmark-only`. It measures one case of the benchmark
(open in memory, 8 facts, 2 mutations, 4 recalls), bulk inscription, recall at 10,000 and 100,000 memories, and
upkeep of a file.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from lethe.store import Store

DIM = 384
BULK = 10_000
FACTS = [f"Alice's colleague {i} works at company {i * 7} in Rome" for i in range(8)]
QUERIES = ["where does colleague 3 work?", "who is in Rome?", "company 21", "Alice"]


class RandomVectors:
    """One random unit vector per distinct text, made on first use and free from then on."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = [text for text in texts if text not in self._vectors]
        if new:
            vectors = self._random.normal(size=(len(new), DIM)).astype(np.float32)
            self._vectors.update(zip(new, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), strict=True))
        return np.stack([self._vectors[text] for text in texts])


EMBED = RandomVectors()


def facts(count: int) -> list[str]:
    return [f"fact {i} about topic {i % 97} told by person {i % 31}" for i in range(count)]


def play_case(store: Store) -> None:
    store.inscribe_many(FACTS)
    store.supersede_matching(QUERIES[0], "Alice's colleague 3 works in Oslo")
    store.purge_matching(FACTS[5])
    for query in QUERIES:
        store.recall(query)


@pytest.fixture(scope="module", params=[BULK, 10 * BULK])
def filled(request: pytest.FixtureRequest) -> Iterator[Store]:
    with Store(embed=EMBED, dim=DIM) as store:
        store.inscribe_many(facts(request.param))
        yield store


def test_open_in_memory(benchmark: BenchmarkFixture) -> None:
    benchmark(lambda: Store(embed=EMBED, dim=DIM).close())


def test_open_and_first_insert(benchmark: BenchmarkFixture) -> None:
    def run() -> None:
        with Store(embed=EMBED, dim=DIM) as store:
            store.inscribe(FACTS[0])

    benchmark(run)


def test_case_in_a_new_store(benchmark: BenchmarkFixture) -> None:
    def run() -> None:
        with Store(embed=EMBED, dim=DIM) as store:
            play_case(store)

    benchmark(run)


def test_case_in_a_reset_store(benchmark: BenchmarkFixture) -> None:
    with Store(embed=EMBED, dim=DIM) as store:

        def run() -> None:
            store.reset()
            play_case(store)

        benchmark(run)


def test_inscribe_10k(benchmark: BenchmarkFixture) -> None:
    texts = facts(BULK)
    EMBED(texts)

    def run() -> None:
        with Store(embed=EMBED, dim=DIM) as store:
            store.inscribe_many(texts)

    benchmark.pedantic(run, rounds=3)


@pytest.mark.parametrize("mode", ["vector", "lexical", "hybrid"])
def test_recall(benchmark: BenchmarkFixture, filled: Store, mode: str) -> None:
    benchmark(lambda: filled.recall("a fact about topic 5", mode=mode))


@pytest.mark.parametrize("sinking", [100, BULK])
def test_vector_recall_at_10k_with_sinking_memories(benchmark: BenchmarkFixture, sinking: int) -> None:
    with Store(embed=EMBED, dim=DIM) as store:
        for memory_id in store.inscribe_many(facts(BULK))[:sinking]:
            store.decay(memory_id, 0.5)
        benchmark(lambda: store.recall("a fact about topic 5", mode="vector"))


def on_file(path: Path) -> Store:
    store = Store(path, embed=EMBED, dim=DIM)
    store.inscribe_many(facts(BULK))
    return store


def test_purge_of_one_memory_in_a_file_of_10k(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    with on_file(tmp_path / "memories.db") as store:
        ids = iter(range(1, BULK + 1))
        benchmark.pedantic(lambda: store.purge(next(ids)), rounds=200)


@pytest.mark.parametrize("act", [Store.scrub, Store.consolidate])
def test_upkeep_of_a_file_of_10k(benchmark: BenchmarkFixture, tmp_path: Path, act: Callable[[Store], object]) -> None:
    with on_file(tmp_path / "memories.db") as store:
        benchmark.pedantic(act, args=(store,), rounds=3)


def test_replay_of_an_earlier_state_of_10k(benchmark: BenchmarkFixture) -> None:
    with Store(embed=EMBED, dim=DIM) as store:
        store.inscribe_many(facts(BULK))
        seqs = iter(range(BULK - 10, BULK))
        benchmark.pedantic(lambda: store.memories(at=next(seqs)), rounds=3)
