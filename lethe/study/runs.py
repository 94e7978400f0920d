"""What each configuration runs: the works of its job, and of the jobs of the axes that have their own."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from lethe import schemas
from lethe.config.answering import repetitions
from lethe.config.configurations import Configuration
from lethe.config.model import Config
from lethe.config.selection import all_configurations
from lethe.crosseval.selection import BENCHMARKS, HYBRID, crosseval_configurations, equal_runs, lengths_of
from lethe.jobs.work import BenchmarkWork, ErasureWork, LongWork, SuiteWork, Work
from lethe.study.paths import ABLATION_TRIALS, EMBEDDER_TRIALS, LATENCY_TRIALS, STORE_SIZE_TRIALS
from lethe.study.plan import results_behind
from lethe.study.setup import ABLATED, Setup
from lethe.study.steps.score_ablation import LEFT_OUT

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


@dataclass(frozen=True, slots=True)
class Run:
    """What one job runs.

    Attributes:
        job: name of the job.
        log: where its log stands below that of all jobs, without suffix.
        kept: its file of kept trials, from the folder of results.
        lender: that of a configuration that recalls alike on a benchmark in which nothing is mutated; empty for none.
        waits_for: what has to be there before it can borrow.
        embedder: a further embedder; empty for the workflow's own.
        alone: nothing may run beside it, since its times are shown.
    """

    job: str
    entry: Configuration
    works: list[Work]
    log: str
    kept: str
    lender: str = ""
    waits_for: tuple[str, ...] = ()
    embedder: str = ""
    alone: bool = False

    @property
    def vectors(self) -> list[str]:
        """The files of vectors of its works."""
        return [path for work in self.works for path in work.vectors]

    @property
    def reads(self) -> list[str]:
        """Each file that its works read, once, in their order."""
        return list(dict.fromkeys(path for work in self.works for path in (*work.vectors, *work.reads)))

    @property
    def writes(self) -> list[str]:
        """The files that its works write."""
        return [path for work in self.works for path in work.writes]


class Runs:
    """Everything that runs under a configuration of the workflow."""

    def __init__(self, config: Config, setup: Setup) -> None:
        self._config, self._setup, self._every = config, setup, all_configurations(config)
        # Nothing is mutated there, so that some configurations recall alike.
        self._lenders = equal_runs(config, "factcons")
        self._on_benchmark = {name: crosseval_configurations(config, name) for name in BENCHMARKS}
        self._all = [*self._of_configurations(), *self._timed(), *self._ablation(), *self._with_embedders()]

    def all(self) -> list[Run]:
        """One of each configuration that has works, and those of the axes whose times or embedder need their own."""
        return self._all

    def behind(self, paths: Iterable[str]) -> list[Run]:
        """The runs that write some of `paths`, or of the files that these follow from, with no other works."""
        wanted = set(results_behind(self._setup, paths))
        found = [replace(run, works=[work for work in run.works if wanted & set(work.writes)]) for run in self.all()]
        return [replace(run, waits_for=self._waits_for(run)) for run in found if run.works]

    def _of_configurations(self) -> Iterator[Run]:
        for name, entry in self._every.items():
            works, lender = list(self._works(name)), self._lenders.get(name)
            if works:
                lent = KEPT.format(name=lender) if lender else ""
                run = Run(_job(f"run_{name}"), entry, works, f"runs/{name}", KEPT.format(name=name), lent)
                yield replace(run, waits_for=self._waits_for(run))

    def _waits_for(self, run: Run) -> tuple[str, ...]:
        """The answers of the lender, where the run has to do with what is lent."""
        benchmarks = [work.benchmark for work in run.works if isinstance(work, BenchmarkWork)]
        if not run.lender or "factcons" not in benchmarks:
            return ()
        return (schemas.CROSSEVAL.path.format(benchmark="factcons", system=self._lenders[run.entry.name]),)

    def _timed(self) -> Iterator[Run]:
        """A few cases several times, for their times."""
        setup = self._setup
        options = {
            "repetitions": setup.latency.repetitions,
            "cases_per_category": setup.latency.cases_per_category,
            "timed": True,
        }
        for name in setup.timed():
            work = self._suite(name, setup.adversarial_suite, trials=LATENCY_TRIALS.format(system=name), **options)
            place = f"latency/{name}"
            yield Run(_job(f"time_{name}"), self._every[name], [work], place, KEPT.format(name=place), alone=True)

    def _ablation(self) -> Iterator[Run]:
        """The adversarial suite without each kind of evidence of the matcher's."""
        for evidence in LEFT_OUT if self._setup.matcher_runs else []:
            trials = ABLATION_TRIALS.format(evidence=evidence)
            work = self._suite(ABLATED, self._setup.adversarial_suite, trials=trials)
            entry = replace(self._every[ABLATED], evidence_off=[] if evidence == "none" else [evidence])
            place = f"ablation/{evidence}"
            yield Run(_job(f"run_without_{evidence}"), entry, [work], place, KEPT.format(name=place))

    def _with_embedders(self) -> Iterator[Run]:
        """The adversarial suite with each further embedder."""
        axis, suite = self._setup.embedder_ablation, self._setup.adversarial_suite
        for embedder in axis.embedders_to_run():
            for name in axis.configurations:
                work = self._suite(name, suite, trials=EMBEDDER_TRIALS.format(embedder=embedder, system=name))
                works: list[Work] = [replace(work, vectors=[FURTHER_VECTORS.format(embedder=embedder, suite=suite)])]
                log, kept = f"embedder_ablation/{embedder}/{name}", KEPT.format(name=f"{embedder}/{name}")
                job = _job(f"run_{name}_with_{embedder}")
                yield Run(job, self._every[name], works, log, kept, embedder=embedder)

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
            if name in self._on_benchmark[benchmark]:
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


def _job(name: str) -> str:
    """A name that Snakemake's options can hold."""
    return re.sub(r"\W", "_", name)
