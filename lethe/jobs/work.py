"""The kinds of work of a configuration: which files each reads, what is run, and which files it writes.

Files are named as in the folder of results; where they stand, the job says.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.cases.erasure.generate import cases_from_rows
from forgeteval.cases.history import History
from forgeteval.cases.sampling import first_of_each_category
from forgeteval.json_records import fields_of, from_json
from lethe.crosseval.records import read_histories
from lethe.embedding.vectors import read_vectors
from lethe.jobs.benchmark_trials import rows_of_benchmark
from lethe.jobs.erasure_trials import run_erasures
from lethe.jobs.kept import FinishedTrial
from lethe.jobs.long_trials import rows_of_long
from lethe.jobs.session import Session, Workload
from lethe.jobs.trials import rows_of_cases, workload_of_cases
from lethe.parquet import Rows, read_rows
from lethe.schemas import (
    CROSSEVAL,
    CROSSEVAL_HISTORIES,
    ERASURE_CASES,
    ERASURE_RECORDS,
    LONG_ANSWERS,
    LONG_REPLAYS,
    TRIALS,
)
from lethe.stored.cases import cases_as_told, cases_at_size, read_suite
from lethe.stored.histories import read_long

Files = Mapping[str, Path]
"""Where each file stands, by its name in the folder of results."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that a case, and a history of many facts, may take."""

    case_s: float
    history_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Work(ABC):
    """One workload of a configuration.

    Attributes:
        vectors: files of vectors of its texts.
    """

    vectors: list[str] = field(default_factory=list)

    @property
    @abstractmethod
    def reads(self) -> list[str]:
        """The files that it reads, apart from vectors."""

    @property
    @abstractmethod
    def writes(self) -> list[str]:
        """The files that it writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed(Work):
    """Work whose histories are replayed, in a worker of its own."""

    @abstractmethod
    def workload(self, session: Session, files: Files, limits: Limits) -> Workload:
        """What is run."""

    @abstractmethod
    def rows(self, session: Session, files: Files, finished: Sequence[FinishedTrial]) -> Rows:
        """What is written of its finished trials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteWork(Replayed):
    """Cases of a suite.

    Attributes:
        cases, trials: the file of the suite, and that of the trials.
        cases_per_category: only the first of each category; all for None.
        haystack: file of unrelated memories, of which `size` stand in the store before each case; empty for none.
        timed: its times are shown.
        told: the facts of the cases are told and asked for, and nothing is mutated.
    """

    cases: str
    trials: str
    repetitions: int = 1
    cases_per_category: int | None = None
    haystack: str = ""
    size: int | None = None
    timed: bool = False
    told: bool = False

    @property
    def reads(self) -> list[str]:
        return [self.cases, *filter(None, [self.haystack])]

    @property
    def writes(self) -> list[str]:
        return [self.trials]

    def workload(self, session: Session, files: Files, limits: Limits) -> Workload:
        memories = list(read_vectors(files[self.haystack]))[: self.size] if self.haystack else []
        options = {"limit_s": limits.case_s, "repetitions": self.repetitions, "timed": self.timed}
        return workload_of_cases(session.system, self._cases(files), memories, **options)

    def rows(self, session: Session, files: Files, finished: Sequence[FinishedTrial]) -> Rows:
        return {self.trials: (TRIALS, rows_of_cases(session, self._cases(files), finished))}

    def _cases(self, files: Files) -> Sequence[Case]:
        cases: Sequence[Case] = read_suite(files[self.cases])
        if self.cases_per_category is not None:
            cases = first_of_each_category(cases, self.cases_per_category)
        if self.size is not None:
            cases = cases_at_size(cases, self.size)
        return cases_as_told(cases) if self.told else cases


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkWork(Replayed):
    """Histories of a benchmark of other authors.

    Attributes:
        operations, questions: the files of the histories.
        answers, histories: the files that are written.
        only: names of those that are run; all for None.
        hybrid: a system that has a search of its own besides the paper's recall is asked by that.
    """

    benchmark: str
    operations: str
    questions: str
    answers: str
    histories: str
    only: list[str] | None = None
    hybrid: bool = False

    @property
    def reads(self) -> list[str]:
        return [self.operations, self.questions]

    @property
    def writes(self) -> list[str]:
        return [self.answers, self.histories]

    def workload(self, session: Session, files: Files, limits: Limits) -> Workload:
        return Workload(self.benchmark, "history", self._histories(files), limits.history_s, hybrid=self.hybrid)

    def rows(self, session: Session, files: Files, finished: Sequence[FinishedTrial]) -> Rows:
        answers, histories = rows_of_benchmark(self.benchmark, session.system, self._histories(files), finished)
        return {self.answers: (CROSSEVAL, answers), self.histories: (CROSSEVAL_HISTORIES, histories)}

    def _histories(self, files: Files) -> list[History]:
        return read_histories(files[self.operations], files[self.questions], self.only)


@dataclass(frozen=True, slots=True, kw_only=True)
class LongWork(Replayed):
    """The long histories."""

    events: str
    answers: str
    replays: str

    @property
    def reads(self) -> list[str]:
        return [self.events]

    @property
    def writes(self) -> list[str]:
        return [self.answers, self.replays]

    def workload(self, session: Session, files: Files, limits: Limits) -> Workload:
        return Workload("long", "history", self._histories(files), limits.history_s)

    def rows(self, session: Session, files: Files, finished: Sequence[FinishedTrial]) -> Rows:
        answers, replays = rows_of_long(session.system, self._histories(files), finished)
        return {self.answers: (LONG_ANSWERS, answers), self.replays: (LONG_REPLAYS, replays)}

    def _histories(self, files: Files) -> list[History]:
        return [history.to_history() for history in read_long(files[self.events])]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureWork(Work):
    """The erasure audit: the first `number` cases, each in a store of `memories`."""

    cases: str
    haystack: str
    records: str
    number: int
    memories: int

    @property
    def reads(self) -> list[str]:
        return [self.cases, self.haystack]

    @property
    def writes(self) -> list[str]:
        return [self.records]

    def run(self, session: Session, files: Files, limits: Limits) -> Rows:
        """Examine the cases; what is written."""
        cases = cases_from_rows(read_rows(files[self.cases], ERASURE_CASES))[: self.number]
        # Two of the memories are the case's own.
        haystack = list(read_vectors(files[self.haystack]))[: self.memories - 2]
        return {self.records: (ERASURE_RECORDS, run_erasures(session, cases, haystack, limits.history_s))}


_KINDS: dict[str, type[Work]] = {kind.__name__: kind for kind in (SuiteWork, BenchmarkWork, LongWork, ErasureWork)}


def as_parameter(work: Work) -> dict[str, Any]:
    """A work as Snakemake keeps it among a rule's parameters."""
    return {type(work).__name__: fields_of(work)}


def from_parameter(parameter: Mapping[str, Any]) -> Work:
    """The reverse of `as_parameter`."""
    ((kind, fields),) = parameter.items()
    return from_json(_KINDS[kind], fields)
