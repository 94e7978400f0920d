"""What an axis of the study is: what it has a configuration run, in the configuration's job or in jobs of its own."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lethe import schemas
from lethe.config.answering import repetitions
from lethe.config.configurations import PIPELINE, Configuration
from lethe.config.model import Config
from lethe.config.selection import all_configurations
from lethe.fingerprints import file_fingerprint, files_fingerprint, script_fingerprint
from lethe.jobs.session import TRIAL_MODULES
from lethe.jobs.work import SuiteWork, Work
from lethe.own_modules import files_of_options, installed_fingerprint, own_modules
from lethe.study.paths import vectors_of_material
from lethe.study.setup import Setup
from lethe.systems.backends import backend_class


@dataclass(frozen=True, slots=True)
class Run:
    """What a job runs under one configuration.

    Attributes:
        job: name of the job; runs of one name are one job, with one log, model and embedder.
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


@dataclass(frozen=True, slots=True)
class Job:
    """Runs of one job, in turn."""

    runs: list[Run]

    @property
    def entries(self) -> list[Configuration]:
        """The configuration of each run."""
        return [run.entry for run in self.runs]

    @property
    def reads(self) -> list[str]:
        """Each file that its runs read, once, in their order."""
        return list(dict.fromkeys(path for run in self.runs for path in run.reads))

    @property
    def writes(self) -> list[str]:
        """The files that its runs write."""
        return [path for run in self.runs for path in run.writes]

    @property
    def waits_for(self) -> list[str]:
        """What has to be there before its runs can borrow."""
        return [path for run in self.runs for path in run.waits_for]


class Study:
    """A configuration of the workflow, and what axes make of it."""

    def __init__(self, config: Config, setup: Setup) -> None:
        self.config, self.setup, self.configurations = config, setup, all_configurations(config)

    def suite(self, name: str, suite: str, **options: Any) -> SuiteWork:
        """A configuration on the cases of a suite; `options` are fields of the work."""
        fields = {
            "trials": schemas.TRIALS.path.format(suite=suite, system=name),
            "repetitions": repetitions(self.config, self.configurations[name].model),
            **options,
        }
        vectors = vectors_of_material(f"suites/{suite}")
        return SuiteWork(vectors=vectors, cases=schemas.CASES.path.format(suite=suite), **fields)


@dataclass(frozen=True, slots=True)
class Axis:
    """What is run, called with the study.

    Attributes:
        works: of a configuration's job, called with its name too.
        runs: of jobs of its own, for what may not share one with the rest.
    """

    works: Callable[[Study, str], Iterable[Work]] = lambda study, name: ()
    runs: Callable[[Study], Iterable[Run]] = lambda study: ()


_PLANNERS = {
    "llm": ("forgeteval.planners.llm", "forgeteval.planners.llm.planner"),
    "matcher": ("lethe.matcher", "lethe.matcher.planner"),
    "oracle": ("forgeteval.planners.oracle", "forgeteval.planners.llm", "forgeteval.planners.llm.planner"),
}
_GATEWAY = ("lethe.gateway", "lethe.gateway.server")


def chosen_modules(entry: Configuration) -> list[str]:
    """The code that a configuration chooses: its backend, what one of one's own imports, its planner, the gateway.

    A package stands for what else of it a job imports (`lethe.fingerprints`), the module in it for what a trial needs.

    Raises:
        UserError: as of `own_modules`.
    """
    backend, _, _ = backend_class(entry.backend).partition(":")
    gateway = _GATEWAY if entry.model or entry.gateway or entry.hook == "llm" else ()
    return [backend, *own_modules(backend), *_PLANNERS.get(entry.hook, ()), *gateway]


def run_fingerprint(matcher: Path, *entries: Configuration, script: str = "") -> str:
    """The code of trials of configurations, and of the script that runs them, with the backends, planners and gateway
    that they choose, and with what systems of one's own have from elsewhere.

    Args:
        matcher: the lock of the matcher's libraries.

    Raises:
        UserError: as of `script_fingerprint` and `own_modules`.
    """
    chosen = [module for entry in entries for module in chosen_modules(entry)]
    found = [script_fingerprint(script, *TRIAL_MODULES, *chosen)]
    found += [file_fingerprint(matcher)] if "lethe.matcher" in chosen else []
    for entry in entries:
        backend, _, _ = backend_class(entry.backend).partition(":")
        files = files_of_options(entry.options)
        found += [installed_fingerprint(backend)] if entry.environment == PIPELINE else []
        found += [files_fingerprint(files)] if files else []
    return " ".join(filter(None, found))


def run_of(job: str, entry: Configuration, works: list[Work], place: str, kept: str = "", **options: Any) -> Run:
    """A run.

    Args:
        job: name of the job; what Snakemake's options cannot hold is replaced.
        place: of its log.
        kept: of its kept trials; where the log is, if empty.
        options: further fields of the run.
    """
    return Run(re.sub(r"\W", "_", job), entry, works, place, kept_trials(kept or place), **options)


def kept_trials(place: str) -> str:
    """The file of a run's kept trials."""
    return f"results/trials/{place}.trials"
