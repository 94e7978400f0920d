"""What each configuration runs: the works of its job, and of the jobs of the axes that have their own."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from lethe import schemas
from lethe.config.answering import repetitions
from lethe.config.model import Config
from lethe.config.selection import all_configurations
from lethe.crosseval.selection import BENCHMARKS, HYBRID, crosseval_configurations, lengths_of
from lethe.jobs.work import BenchmarkWork, ErasureWork, LongWork, SuiteWork, Work
from lethe.study.plan import ABLATION_TRIALS, EMBEDDER_TRIALS, LATENCY_TRIALS, STORE_SIZE_TRIALS, results_behind
from lethe.study.setup import Setup

VECTOR_PARTS = 4
"""The texts of a benchmark, or of the long histories, are embedded by as many jobs; with one they would be the longest
way through the workflow."""
CLAUSES = "results/matcher/clauses/{material}.parquet"
FURTHER_VECTORS = "results/embedder_ablation/{embedder}/vectors/{suite}.parquet"
ERASURE_VECTORS, ERASURE_HAYSTACK = "results/erasure/vectors.parquet", "results/erasure/haystack.parquet"
HAYSTACK = "results/store_size/haystack.parquet"
KEPT = "results/trials/{name}.trials"
_DATA = "results/crosseval_data/{benchmark}/{file}.parquet"


def vectors_of_material(material: str) -> list[str]:
    """The files of vectors of some material: suites/NAME, crosseval/NAME or long."""
    kind, _, name = material.partition("/")
    match kind:
        case "suites":
            return [schemas.VECTORS.path.format(suite=name)]
        case "crosseval":
            return [_DATA.format(benchmark=name, file=f"vectors/{part}") for part in range(VECTOR_PARTS)]
        case _:
            return [f"results/long/vectors/{part}.parquet" for part in range(VECTOR_PARTS)]


class Runs:
    """What runs under a configuration of the whole workflow.

    Attributes:
        works: those of each configuration that has any, by name.
    """

    def __init__(self, config: Config, setup: Setup) -> None:
        self._config, self._setup, self._every = config, setup, all_configurations(config)
        found = {name: list(self._works(name)) for name in self._every}
        self.works = {name: works for name, works in found.items() if works}

    def works_behind(self, paths: Iterable[str]) -> dict[str, list[Work]]:
        """The works that write some of `paths`, or of the files that these follow from."""
        wanted = set(results_behind(self._setup, paths))
        found = {name: [work for work in works if wanted & set(work.writes)] for name, works in self.works.items()}
        return {name: works for name, works in found.items() if works}

    def latency(self, name: str) -> list[Work]:
        """A few cases several times, for their times."""
        setup = self._setup
        return [
            self._suite(
                name,
                setup.adversarial_suite,
                trials=LATENCY_TRIALS.format(system=name),
                repetitions=setup.latency.repetitions,
                cases_per_category=setup.latency.cases_per_category,
                timed=True,
            )
        ]

    def ablation(self, name: str, evidence: str) -> list[Work]:
        """The adversarial suite without a kind of evidence."""
        return [self._suite(name, self._setup.adversarial_suite, trials=ABLATION_TRIALS.format(evidence=evidence))]

    def with_embedder(self, name: str, embedder: str) -> list[Work]:
        """The adversarial suite with a further embedder."""
        suite = self._setup.adversarial_suite
        work = self._suite(name, suite, trials=EMBEDDER_TRIALS.format(embedder=embedder, system=name))
        return [replace(work, vectors=[FURTHER_VECTORS.format(embedder=embedder, suite=suite)])]

    def _works(self, name: str) -> Iterator[Work]:
        setup, config = self._setup, self._config
        for suite in setup.suites:
            if setup.runs(name, suite):
                yield self._suite(name, suite)
        if name in setup.long.configurations:
            yield LongWork(
                vectors=self._vectors(name, "long"),
                events=schemas.LONG_EVENTS.path,
                answers=schemas.LONG_ANSWERS.path.format(system=name),
                replays=schemas.LONG_REPLAYS.path.format(system=name),
            )
        for benchmark in BENCHMARKS:
            if name in crosseval_configurations(config, benchmark):
                yield BenchmarkWork(
                    vectors=self._vectors(name, f"crosseval/{benchmark}"),
                    benchmark=benchmark,
                    operations=_DATA.format(benchmark=benchmark, file="operations"),
                    questions=_DATA.format(benchmark=benchmark, file="questions"),
                    answers=schemas.CROSSEVAL.path.format(benchmark=benchmark, system=name),
                    histories=schemas.CROSSEVAL_HISTORIES.path.format(benchmark=benchmark, system=name),
                    only=lengths_of(config, name) if benchmark == "factcons" else None,
                    hybrid=benchmark in HYBRID,
                )
        if setup.store_size.enabled and name in setup.store_size.configurations:
            for size in setup.store_size.sizes:
                trials = STORE_SIZE_TRIALS.format(size=size, system=name)
                number = setup.store_size.cases_per_category
                work = self._suite(name, setup.store_size.suite, trials=trials, cases_per_category=number, timed=True)
                yield replace(work, haystack=HAYSTACK, size=size)
        for memories, number in setup.erasure.stores.get(name, ()):
            yield ErasureWork(
                vectors=[ERASURE_VECTORS],
                cases=schemas.ERASURE_CASES.path,
                haystack=ERASURE_HAYSTACK,
                records=schemas.ERASURE_RECORDS.path.format(rows=memories, system=name),
                number=number,
                memories=memories,
            )

    def _suite(self, name: str, suite: str, **options: Any) -> SuiteWork:
        model = self._every[name].model
        fields = {
            "trials": schemas.TRIALS.path.format(suite=suite, system=name),
            "repetitions": repetitions(self._config, model),
            **options,
        }
        vectors = self._vectors(name, f"suites/{suite}")
        return SuiteWork(vectors=vectors, cases=schemas.CASES.path.format(suite=suite), **fields)

    def _vectors(self, name: str, material: str) -> list[str]:
        clauses = [CLAUSES.format(material=material)] if self._every[name].hook == "matcher" else []
        return vectors_of_material(material) + clauses
