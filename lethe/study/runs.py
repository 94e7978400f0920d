"""What each configuration runs: the works of its job, and of the jobs of the axes that have their own."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module

from lethe import schemas
from lethe.config.model import Config
from lethe.crosseval.selection import equal_runs
from lethe.fingerprints import found_modules
from lethe.jobs.work import BenchmarkWork
from lethe.study.axis import Axis, Job, Run, Study, kept_trials, run_of
from lethe.study.plan import results_behind
from lethe.study.setup import Setup

FOUND_MODULES = ("lethe.study.axes",)
AXES: list[Axis] = [import_module(name).AXIS for package in FOUND_MODULES for name in found_modules(package)]


class Runs:
    """Everything that runs under a configuration of the workflow."""

    def __init__(self, config: Config, setup: Setup) -> None:
        self._study = Study(config, setup)
        # Nothing is mutated there, so that some configurations recall alike.
        self._lenders = equal_runs(config, "factcons")
        self._all = [*self._of_configurations(), *(run for axis in AXES for run in axis.runs(self._study))]

    def all(self) -> list[Run]:
        """One of each configuration that has works, and those of the axes that need jobs of their own."""
        return self._all

    def jobs(self, paths: Sequence[str] = ()) -> list[Job]:
        """Every job; only what is `behind` some paths, if any are given."""
        jobs = dict[str, list[Run]]()
        for run in self.behind(paths) if paths else self.all():
            jobs.setdefault(run.job, []).append(run)
        return list(map(Job, jobs.values()))

    def behind(self, paths: Iterable[str]) -> list[Run]:
        """The runs that write some of `paths`, or of the files that these follow from, with no other works."""
        wanted = set(results_behind(self._study.setup, paths))
        found = [replace(run, works=[work for work in run.works if wanted & set(work.writes)]) for run in self.all()]
        return [replace(run, waits_for=self._waits_for(run)) for run in found if run.works]

    def _of_configurations(self) -> Iterator[Run]:
        for name, entry in self._study.configurations.items():
            works, lender = [work for axis in AXES for work in axis.works(self._study, name)], self._lenders.get(name)
            if works:
                lent = kept_trials(lender) if lender else ""
                run = run_of(f"run_{name}", entry, works, f"runs/{name}", name, lender=lent)
                yield replace(run, waits_for=self._waits_for(run))

    def _waits_for(self, run: Run) -> tuple[str, ...]:
        """The answers of the lender, where the run has to do with what is lent."""
        benchmarks = [work.benchmark for work in run.works if isinstance(work, BenchmarkWork)]
        if not run.lender or "factcons" not in benchmarks:
            return ()
        return (schemas.CROSSEVAL.path.format(benchmark="factcons", system=self._lenders[run.entry.name]),)
