"""A session: one system, run in workers on a number of histories, with a journal that a killed run resumes from."""

import secrets
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from forgeteval.cases.erasure.case import ErasureCase
from forgeteval.cases.history import History
from forgeteval.embed.embedder import CachedEmbedder
from forgeteval.errors import UserError
from forgeteval.progress import progress
from forgeteval.run.replay import Replay, ReplayOptions, conduct
from forgeteval.stores.controls import Oracle
from lethe.config.configurations import Configuration
from lethe.fingerprints import value_fingerprint
from lethe.gateway.context import CallContext
from lethe.jobs.erasing import Examined, Finding
from lethe.jobs.homes import worker_home
from lethe.jobs.journal import FinishedTrial, Journal
from lethe.jobs.messages import Came, Complete, Embed, EmbeddedTexts, Examine, Plan, Reply, Request, Scan, Start, Tell
from lethe.jobs.services import NO_SERVICES, RunServices
from lethe.jobs.worker_process import Job, WorkerFailure, started_worker

_Outcome = tuple[Replay, list[Finding]]
"""How a history went, and what the erasure audit found."""
Conversation = Generator[Tell, Came, _Outcome]
_MUTATIONS_OF_CASE = 4
"""What the patience of a run's services is reckoned by; a long history has many more."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a system is run.

    Attributes:
        k: how many memories a question recalls.
        case_timeout_s: limit of one whole history, seconds.
        start_timeout_s: limit of building the system, seconds.
        worker_failure: what a dead or hanging worker does to the run: "stop" ends it with an error, "record" scores
            the trial as an error and goes on with a new worker.
    """

    k: int = 10
    repetitions: int = 1
    case_timeout_s: float = 60.0
    start_timeout_s: float = 120.0
    worker_failure: Literal["stop", "record"] = "stop"


@dataclass(frozen=True, slots=True)
class Workload:
    """What is run: the histories of a suite or a benchmark.

    Attributes:
        name: of the suite or benchmark.
        unit: what messages call a history.
        histories: with names of their own.
        haystack: unrelated memories that stand in the store before each history; sent to a worker once.
        strict, hybrid: see `forgeteval.run.replay.ReplayOptions`.
        part: of a suite, so that it says nothing if every trial broke.
        erasures: the case of each history that the erasure audit examines. A worker then does the trials of one
            repetition alone, and the next finds its HOME as it left it.
    """

    name: str
    unit: str
    histories: Sequence[History]
    haystack: Sequence[str] = ()
    strict: bool = False
    hybrid: bool = False
    part: bool = False
    erasures: Mapping[str, ErasureCase] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Session:
    """One system and what it takes to run it.

    Attributes:
        python: interpreter of the system's environment.
        fingerprint: what answers depend on besides workload and configuration (code, environment, embedder).
        services: what the run's own process offers besides vectors.
        keys: environment variables of this process that hold API keys.
        in_memory: the system's files stand in memory, where there is room, not on disk.
    """

    system: Configuration
    python: Path
    embedder: CachedEmbedder
    settings: RunSettings
    journal_path: Path
    log_path: Path
    fingerprint: str
    services: RunServices = NO_SERVICES
    keys: Sequence[str] = ()
    in_memory: bool = False

    @contextmanager
    def run(self, workload: Workload) -> Iterator[list[FinishedTrial]]:
        """Run every history, as often as the settings say; the trials in order: repetitions, histories.

        Finished trials of an interrupted run with the same fingerprint are taken from the journal; with a chat model,
        those that broke are run again. The journal is removed when the block ends, so what comes of the trials is to be
        written in it; where the block raises, they stay in the journal.

        Raises:
            UserError: where the worker cannot start, dies or hangs, a file cannot be written, the journal is damaged,
                the services say that the run has to stop, or, without a chat model, every trial of a whole suite broke.
        """
        with Journal(self.journal_path, self._whole_fingerprint(workload)) as journal:
            run = _Run(self, workload, journal)
            run.finish()
            found = {(trial.history, trial.repetition): trial for trial in journal.trials}
            trials = [found[context.case_id, context.repetition] for context in run.wanted]
            first = trials[0].replay.error
            checked = not (self.services.asks_model or workload.part)
            if checked and all(trial.replay.error is not None for trial in trials):
                # Whatever it was, once it is put right they have to run again.
                journal.discard()
                raise UserError(f"{self.system.name}: every one of {len(trials)} trials broke, the first with: {first}")
            yield trials
            journal.discard()

    def options(self, workload: Workload) -> ReplayOptions:
        """How the workload's histories are replayed."""
        # By either of its names; `lethe.systems.backends` would make every run depend on every backend's name.
        gold = self.system.backend in ("oracle", f"{Oracle.__module__}:{Oracle.__name__}")
        return ReplayOptions(self.settings.k, workload.strict, workload.hybrid, gold)

    def _whole_fingerprint(self, workload: Workload) -> str:
        # Time limits and `worker_failure` are no part of it: a run that stopped at a hanging case can resume with
        # others.
        system, options = self.system, self.options(workload)
        configuration = [
            asdict(system.for_trials()),
            [options.k, options.strict, options.hybrid, self.settings.repetitions],
        ]
        inputs = [workload.name, [asdict(history) for history in workload.histories], list(workload.haystack)]
        return value_fingerprint([self.fingerprint, configuration, inputs])


class _Run:
    """One run of a session, from what its journal holds to the last trial.

    Attributes:
        wanted: the trials, by repetition and history.
    """

    def __init__(self, session: Session, workload: Workload, journal: Journal) -> None:
        self._session, self._workload, self._journal = session, workload, journal
        self._system, self._settings, self._services = session.system, session.settings, session.services
        self._by_name = {history.name: history for history in workload.histories}
        self._lanes = self._services.lanes
        self.wanted = [
            CallContext(workload.name, self._system.system, history.name, repetition)
            for repetition in range(self._settings.repetitions)
            for history in workload.histories
        ]

    def finish(self) -> None:
        """Run what the journal lacks."""
        finished = {
            (trial.history, trial.repetition)
            for trial in self._journal.trials
            if trial.replay.error is None or not self._services.asks_model
        }
        pending = [context for context in self.wanted if (context.case_id, context.repetition) not in finished]
        if finished:
            resumed = f"{len(finished)} of {len(self.wanted)} trials are in {self._journal.path}"
            print(f"{self._name}: {resumed}", file=sys.stderr)
        with progress(f"{self._name} on {self._workload.name}", len(self.wanted), len(finished)) as advance:
            while pending:
                try:
                    self._run_worker(pending, advance)
                except WorkerFailure as failure:
                    self._survive(failure, pending, advance)
                if self._services.stop is not None:
                    raise UserError(f"{self._name}: {self._services.stop}; {self._kept}")

    @property
    def _name(self) -> str:
        return self._system.name

    @property
    def _kept(self) -> str:
        kept, path = len(self._journal.trials), self._journal.path
        return f"{kept} of {len(self.wanted)} finished trials are kept in {path}"

    def _survive(self, failure: WorkerFailure, pending: list[CallContext], advance: Callable[[int], object]) -> None:
        """Record a worker's failure; raises UserError where the settings say so, or no trial can be blamed."""
        blameless = failure.position is None and self._lanes == 1
        if self._settings.worker_failure == "stop" or blameless:
            remedy = f"set run.worker_failure: record to score such a {self._workload.unit} as an error"
            message = f"{failure}; {self._kept}; log: {self._session.log_path}; run again to go on, or {remedy}"
            raise UserError(message) from failure
        if failure.position is None:
            # One at a time, the next failure will show which trial it was.
            self._lanes = 1
            return
        self._append(pending.pop(failure.position), Replay(error=str(failure)))
        advance(1)

    def _run_worker(self, pending: list[CallContext], advance: Callable[[int], object]) -> None:
        """Run trials in one worker and take those that are done out of `pending`; on a failure, the rest is left."""
        session, given, done = self._session, self._at_once(pending), set[int]()
        start, seconds, kept = self._start(), self._settings.start_timeout_s, bool(self._workload.erasures)
        try:
            with (
                worker_home(self._journal.path, session.in_memory) as home,
                started_worker(self._name, session.python, start, seconds, home, session.log_path, kept) as worker,
            ):
                for position, came in worker.run(self._jobs(given), self._lanes, self._limit_s(given), self._reply):
                    if self._services.stop is not None:
                        return
                    self._append(given[position], *came)
                    done.add(position)
                    advance(1)
        except WorkerFailure as failure:
            if failure.position is not None:
                failure.position -= sum(position < failure.position for position in done)
            raise
        finally:
            left = [context for position, context in enumerate(given) if position not in done]
            pending[:] = left + pending[len(given) :]

    def _at_once(self, pending: Sequence[CallContext]) -> list[CallContext]:
        """The trials that one worker does: of an erasure audit, those of one repetition, which come first."""
        if not self._workload.erasures:
            return list(pending)
        return [context for context in pending if context.repetition == pending[0].repetition]

    def _start(self) -> Start:
        system, embedder, services = self._system, self._session.embedder, self._services
        keeps_na = system.contract == "paper"
        configuration = system.backend, dict(system.policies), dict(system.options), keeps_na
        options, haystack = self._session.options(self._workload), EmbeddedTexts.of(self._workload.haystack, embedder)
        asked = services.planner, services.system, list(self._session.keys)
        return Start(*configuration, *asked, embedder.dim, self._lanes, options, haystack)

    def _jobs(self, given: Sequence[CallContext]) -> Iterator[Job[_Outcome]]:
        for context in given:
            self._services.begin(context)
            case = self._workload.erasures.get(context.case_id)
            conversation = self._replay(context) if case is None else self._examination(context, case)
            yield f"at {self._workload.unit} {context.case_id}", conversation

    def _replay(self, context: CallContext) -> Conversation:
        """Tell a worker a history, part by part, with the vectors of its texts."""
        trial, embedder, sent = secrets.token_hex(8), self._session.embedder, set[str]()
        conversation = conduct(self._by_name[context.case_id], self._session.options(self._workload))
        told = next(conversation)
        while True:
            new = [text for text in told.texts() if text not in sent]
            sent.update(new)
            came = yield Tell(trial, context, told, EmbeddedTexts.of(new, embedder))
            assert not isinstance(came, Examined)
            try:
                told = conversation.send(came)
            except StopIteration as end:
                return end.value, []

    def _examination(self, context: CallContext, case: ErasureCase) -> Conversation:
        """Have a worker examine a part of a case of the erasure audit."""
        texts = self._by_name[context.case_id].texts()
        embedded = EmbeddedTexts.of(texts, self._session.embedder)
        came = yield Tell(secrets.token_hex(8), context, Examine(case, context.repetition), embedded)
        assert isinstance(came, Examined)
        return Replay(error=came.error), came.findings

    def _limit_s(self, given: Sequence[CallContext]) -> float:
        """What a trial may take: its own limit, as long as a start for inscribing the haystack, and the model's
        patience for each few mutations of the longest history."""
        most = max(len(self._by_name[context.case_id].mutations) for context in given)
        haystack_s = self._settings.start_timeout_s if self._workload.haystack else 0.0
        patience_s = self._services.patience_s * max(1, most / _MUTATIONS_OF_CASE)
        return self._settings.case_timeout_s + haystack_s + patience_s

    def _reply(self, request: Request) -> Reply:
        match request:
            case Embed(texts):
                return EmbeddedTexts.of(texts, self._session.embedder)
            case Complete() if self._services.complete is not None:
                return self._services.complete(request)
            case Plan() if self._services.plan is not None:
                return self._services.plan(request)
            case Scan() if self._services.scan is not None:
                return self._services.scan(request)
        raise ValueError(f"nobody here does {type(request).__name__.lower()}")

    def _append(self, context: CallContext, replay: Replay, findings: Sequence[Finding] = ()) -> None:
        usage = self._services.usage(context)
        if replay.error is None and (lacking := self._services.lacking(context)):
            # The system swallowed that a recorded answer was lacking.
            replay = Replay(error=lacking)
        self._journal.append(FinishedTrial(context.case_id, context.repetition, replay, usage, list(findings)))
