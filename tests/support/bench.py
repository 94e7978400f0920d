"""Embedders, cases and a bench to run systems on, shared by the tests of this folder."""

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forgeteval.cases.case import Case, Mutation
from forgeteval.embed.embedder import CachedEmbedder, Embedder, Vectors
from forgeteval.run.replay import ReplayOptions, replay
from forgeteval.run.trials import Trial, score_trial
from forgeteval.stores.contract import Adapter
from lethe.config.configurations import Configuration
from lethe.jobs.kept import FinishedTrial, KeptTrials
from lethe.jobs.services import NO_SERVICES, RunServices
from lethe.jobs.session import Code, RunSettings, Session
from lethe.jobs.trials import run_cases
from lethe.systems.backends import ADAPTERS, BACKENDS

DIM = 32
CODE = Code("code")
TIMINGS = ("inscribe_ms", "mutate_ms", "recall_ms", "cpu_ms")
TOPICS = ("bicycle", "passport", "allergy", "piano", "landlord")


class HashEmbedder:
    """Unit vectors from the words of a text: texts that share words are near, equal texts are equal."""

    dim = DIM

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.extend(texts)
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Vectors:
        # Absolute values keep cosines positive: Mem0 shows no hit below zero.
        return unit(sum((np.abs(noise(word)) for word in text.lower().split()), 0.1 * np.abs(noise(text))))


class TopicEmbedder(HashEmbedder):
    """A text that names a topic lies at the topic's own axis, a little beside it; other texts are hashed."""

    def _vector(self, text: str) -> Vectors:
        for axis, topic in enumerate(TOPICS):
            if topic in text.lower():
                return unit(np.eye(DIM)[axis] + 0.1 * np.abs(unit(noise(text))))
        return super()._vector(text)


class TableEmbedder:
    """Hand-made vectors."""

    def __init__(self, table: Mapping[str, Sequence[float]]) -> None:
        self._table = {text: unit(np.array(vector)) for text, vector in table.items()}
        self.dim = len(next(iter(self._table.values())))

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._table[text] for text in texts])


def noise(text: str) -> Any:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
    return np.random.default_rng(seed).normal(size=DIM)


def unit(vector: Any) -> Vectors:
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def make_case(
    case_id: str,
    facts: Sequence[str],
    final_query: str,
    must: Sequence[str] = (),
    must_not: Sequence[str] = (),
    mutations: Sequence[Sequence[str]] = (),
) -> Case:
    return Case(
        case_id=case_id,
        suite="bench",
        category="amnesia",
        setup_facts=tuple(facts),
        mutations=tuple(Mutation(*mutation) for mutation in mutations),
        final_query=final_query,
        must_contain=tuple(must),
        must_not_contain=tuple(must_not),
    )


def timeless(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in TIMINGS} for row in rows]


def run_trial(adapter: Adapter, case: Case, k: int = 10, haystack: Sequence[str] = ()) -> Trial:
    """Run a case on an adapter in this process."""
    replayed = replay(adapter, case.to_history(), ReplayOptions(k, strict=True), haystack)
    return score_trial(Trial(case.suite, "sut", "", 0, case.case_id), case, replayed)


class Bench:
    """One system's kept trials and log in a folder of their own, to run it there as often as wanted."""

    def __init__(self, folder: Path) -> None:
        self.kept = folder / "trials" / "sut.trials"
        self.log = folder / "logs" / "sut.log"

    def run(
        self,
        cases: Sequence[Case],
        backend: str = "Obedient",
        *,
        haystack: Sequence[str] = (),
        limit_s: float = 20.0,
        repetitions: int = 1,
        timed: bool = False,
        **options: Any,
    ) -> list[dict[str, Any]]:
        """Run `cases` as a workload of these fields; see `session` for the other options."""
        with self.session(backend, **options) as session:
            return run_cases(session, cases, haystack, limit_s=limit_s, repetitions=repetitions, timed=timed)

    @contextmanager
    def session(
        self,
        backend: str,
        *,
        policies: Mapping[str, str] | None = None,
        options: Mapping[str, Any] | None = None,
        in_order: bool = False,
        services: RunServices = NO_SERVICES,
        model: str = "",
        python: Path | None = None,
        embedder: Embedder | None = None,
        code: Code = CODE,
        keys: Sequence[str] = (),
        lent: Mapping[str, FinishedTrial] | None = None,
        in_memory: bool = False,
        environment: str = "",
        **settings: Any,
    ) -> Iterator[Session]:
        """A session of a registered backend, `module:Class`, or a class of tests/support/misbehaving.py."""
        known = backend in ADAPTERS | BACKENDS or ":" in backend
        configuration = Configuration(
            "sut",
            backend=backend if known else f"tests.support.misbehaving:{backend}",
            policies=policies or {},
            model=model,
            options=options or {},
            in_order=in_order,
            environment=environment,
        )
        with KeptTrials(self.kept) as kept:
            yield Session(
                configuration,
                python or Path(sys.executable),
                CachedEmbedder({}, embedder or HashEmbedder()),
                RunSettings(**{"start_timeout_s": 60.0, **settings}),
                kept,
                self.log,
                code,
                services,
                keys,
                lent or {},
                in_memory,
            )

    def logged(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)
