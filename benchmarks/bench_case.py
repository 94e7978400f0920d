"""The cost of a case in Lethe when vectors are already known: pytest benchmarks/bench_case.py --benchmark-only"""

from collections.abc import Sequence

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from forgeteval.cases.case import Case
from forgeteval.cases.suites import build_suite
from forgeteval.embed.embedder import CachedEmbedder, Vectors
from forgeteval.run.replay import ReplayOptions, replay
from lethe.systems.registry import build_adapter


class RandomVectors:
    """Unit vectors in place of an embedder: only their number and size matter here."""

    dim = 384

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.random.default_rng(0).normal(size=(len(texts), self.dim)).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("backend", ["lethe", "naive_sql"])
def test_the_adversarial_suite(benchmark: BenchmarkFixture, backend: str) -> None:
    """One round is the whole suite; divide by the number of cases, which is printed as extra info."""
    cases: Sequence[Case] = build_suite("adversarial", {"folder": "suites/adversarial"})
    embedder = CachedEmbedder({}, RandomVectors())
    embedder.embed([text for case in cases for text in case.texts()])
    adapter = build_adapter(backend, {}, embedder)
    histories, options = [case.to_history() for case in cases], ReplayOptions(10, strict=True)
    benchmark.extra_info["cases"] = len(cases)

    def whole_suite() -> None:
        for history in histories:
            replay(adapter, history, options)

    benchmark.pedantic(whole_suite, rounds=3, warmup_rounds=1)
    print(f"{backend}: {1000 * benchmark.stats.stats.median / len(cases):.2f} ms per case")
