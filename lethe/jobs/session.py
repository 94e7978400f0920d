"""A session: one system, run in workers on the histories of its workloads; finished trials are kept at once."""

import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal, TypeVar

from forgeteval.cases.case import Case
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
from lethe.jobs.erasing import TRACES, Finding, examine
from lethe.jobs.homes import worker_home
from lethe.jobs.kept import FinishedTrial, KeptTrials
from lethe.jobs.messages import Came, Complete, Embed, EmbeddedTexts, Plan, Reply, Request, Start, Tell
from lethe.jobs.services import NO_SERVICES, RunServices
from lethe.jobs.worker_process import Job, WorkerFailure, started_worker

TRIAL_MODULES = (__name__, "lethe.embedding.embedder")
"""What trials depend on of the code, besides backend, planner and gateway."""
_Outcome = tuple[Replay, list[Finding]]
"""How a history went, and what the erasure audit found."""
Conversation = Generator[Tell, Came, _Outcome]
R = TypeVar("R")
_MUTATIONS_OF_CASE = 4
"""What the patience of a run's services is reckoned by; a long history has many more."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a system is run.

    Attributes:
        k: how many memories a question recalls.
        start_timeout_s: limit of building the system, seconds.
        worker_failure: what a dead or hanging worker does to the run: "stop" ends it with an error, "record" scores
            the trial as an error and goes on with a new worker.
    """

    k: int = 10
    start_timeout_s: float = 120.0
    worker_failure: Literal["stop", "record"] = "stop"


@dataclass(frozen=True, slots=True)
class Workload:
    """What is run: the histories of a suite or a benchmark.

    Attributes:
        name: of the suite or benchmark.
        unit: what messages call a history.
        histories: with names of their own.
        limit_s: what a history may take, seconds; no part of what a trial depends on.
        repetitions: how often each history is run.
        haystack: unrelated memories that stand in the store before each history; sent to a worker once.
        strict, hybrid: see `forgeteval.run.replay.ReplayOptions`.
        timed: its times are shown, so that it shares no trial with another workload.
        part: of a suite, so that it says nothing if every trial broke.
        erasures: the case of each history that the erasure audit examines. The worker of a repetition finds the HOME
            as that of the one before left it.
        cases: of the histories that are cases.
    """

    name: str
    unit: str
    histories: Sequence[History]
    limit_s: float = 60.0
    repetitions: int = 1
    haystack: Sequence[str] = ()
    strict: bool = False
    hybrid: bool = False
    timed: bool = False
    part: bool = False
    erasures: Mapping[str, ErasureCase] = field(default_factory=dict)
    cases: Mapping[str, Case] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Code:
    """What trials depend on besides configuration and history: fingerprints of code, environment, embedder and model.

    Attributes:
        whole: of all of it.
        recall: without planner and policies, for histories in which nothing is mutated; these trials may be lent.
    """

    whole: str
    recall: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """One system and what it takes to run it.

    Attributes:
        python: interpreter of the system's environment.
        services: what the run's own process offers besides vectors.
        keys: environment variables of this process that hold API keys.
        lent: trials of a configuration that recalls alike, by key.
        in_memory: the system's files stand in memory, where there is room, not on disk, unless times are shown.
    """

    system: Configuration
    python: Path
    embedder: CachedEmbedder
    settings: RunSettings
    kept: KeptTrials
    log_path: Path
    code: Code
    services: RunServices = NO_SERVICES
    keys: Sequence[str] = ()
    lent: Mapping[str, FinishedTrial] = field(default_factory=dict)
    in_memory: bool = False

    def run(self, workloads: Sequence[Workload]) -> list[list[FinishedTrial]]:
        """Run every history of each workload as often as it says; its trials in order: repetitions, histories.

        Trials that are kept are not run again, apart from those that broke where a chat model is asked.

        Raises:
            UserError: where the worker cannot start, dies or hangs, a file cannot be written, the services say that
                the run has to stop, or every trial of a whole workload broke, unless a chat model said anything or
                its recorded answers lack some.
        """
        run = _Run(self, workloads)
        run.finish()
        trials = [[run.found[wanted.key] for wanted in run.wanted if wanted.workload is each] for each in workloads]
        for workload, its_trials in zip(workloads, trials, strict=True):
            self._check(workload, its_trials, run)
        self.kept.forget_former({wanted.key: run.found[wanted.key] for wanted in run.wanted})
        return trials

    def options(self, workload: Workload) -> ReplayOptions:
        """How the workload's histories are replayed."""
        # By either of its names; `lethe.systems.backends` would make every run depend on every backend's name.
        gold = self.system.backend in ("oracle", f"{Oracle.__module__}:{Oracle.__name__}")
        return ReplayOptions(self.settings.k, workload.strict, workload.hybrid, gold)

    def _check(self, workload: Workload, trials: Sequence[FinishedTrial], run: "_Run") -> None:
        answered = self.services.asks_model and self.services.answered
        exempt = answered or workload.part or not trials
        if exempt or any(trial.replay.error is None for trial in trials):
            return
        # Whatever it was, once it is put right they have to run again.
        self.kept.forget({wanted.key for wanted in run.wanted if wanted.workload is workload})
        broke = f"every one of {len(trials)} trials broke, the first with: {trials[0].replay.error}"
        skipped = "; where it cannot be audited, `skip_suites: [erasure]` in its entry leaves that out"
        raise UserError(f"{self.system.name} on {workload.name}: {broke}{skipped if workload.erasures else ''}")

    def keys_of(self, workload: Workload) -> dict[tuple[str, int], str]:
        """What each trial of a workload depends on, by history and repetition.

        Names of workloads do not count where one trial may serve several; time limits and `worker_failure` never do,
        so that a run that stopped at a hanging case can resume with others.
        """
        system, options = self.system, self.options(workload)
        stands_alone = system.in_order or workload.timed or bool(workload.erasures)
        replayed = [options.k, options.strict, options.hybrid], list(workload.haystack)
        # A chat model is asked on behalf of a suite.
        place = [workload.name, workload.timed] if stands_alone or system.model else []
        # Each of its trials depends on those before it.
        before = [workload.repetitions, *map(asdict, workload.histories)] if system.in_order else []
        whole = value_fingerprint([self.code.whole, asdict(system.for_trials()), *replayed, place, before])
        recall = value_fingerprint([self.code.recall, asdict(system.for_recall()), *replayed])
        keys = dict[tuple[str, int], str]()
        for history in workload.histories:
            alike = self.code.recall and not stands_alone and _is_recall_alone(history)
            erasure = workload.erasures.get(history.name)
            inputs = [recall if alike else whole, asdict(history), *([asdict(erasure)] if erasure else [])]
            for repetition in range(workload.repetitions):
                keys[history.name, repetition] = value_fingerprint([*inputs, repetition])
        return keys


def _is_recall_alone(history: History) -> bool:
    """Whether nothing is mutated and nobody owns anything, so that policies and planners have no part in it."""
    told = (operation.op == "inscribe" and not operation.owners for operation in history.operations)
    return all(told) and not any(question.asker for question in history.questions)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A trial that is asked for."""

    workload: Workload
    context: CallContext
    key: str


class _Run:
    """One run of a session, from what is kept to the last trial.

    Attributes:
        wanted: the trials, by workload, repetition and history.
        found: those that are done, by key.
    """

    def __init__(self, session: Session, workloads: Sequence[Workload]) -> None:
        self._session, self._kept = session, session.kept
        self._system, self._settings, self._services = session.system, session.settings, session.services
        self._lanes = self._services.lanes
        self._by_name = {(each.name, history.name): history for each in workloads for history in each.histories}
        self.wanted = [
            _Wanted(workload, CallContext(workload.name, self._system.system, history, repetition), key)
            for workload in workloads
            for (history, repetition), key in sorted(session.keys_of(workload).items(), key=lambda item: item[0][1])
        ]
        self.found = dict[str, FinishedTrial]()
        self._failed = set[str]()
        # By the system, in an erasure audit.
        self._offered = set[str]()

    def finish(self) -> None:
        """Run what is not kept, and not lent."""
        for key in {wanted.key for wanted in self.wanted}:
            trial = self._kept.find(key) or self._session.lent.get(key)
            if trial is not None and self._stands(trial):
                self.found[key] = trial
        # Where files were looked through, there is a restart to come.
        if any(finding.place in TRACES for trial in self.found.values() for finding in trial.findings):
            self._offered.add("open")
        missing = dict[str, _Wanted]()
        for wanted in self.wanted:
            if wanted.key not in self.found:
                missing.setdefault(wanted.key, wanted)
        pending = list(missing.values())
        total = len(pending) + len(self.found)
        if self.found:
            print(f"{self._name}: {len(self.found)} of {total} trials are in {self._kept.path}", file=sys.stderr)
        names = list(dict.fromkeys(wanted.workload.name for wanted in self.wanted))
        place = f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else "".join(names)
        with progress(f"{self._name} on {place}", total, len(self.found), self._asked) as advance:
            while pending:
                try:
                    self._run_worker(pending, advance)
                except WorkerFailure as failure:
                    self._survive(failure, pending, advance)
                if self._services.stop is not None:
                    raise UserError(f"{self._name}: {self._services.stop}; {self._progress}")

    @property
    def _name(self) -> str:
        return self._system.name

    def _asked(self) -> str:
        """What a chat model was asked for the trials that are done; nothing without one."""
        if not self._services.asks_model:
            return ""
        done = self.found.values()
        calls, usd = sum(trial.usage.calls for trial in done), sum(trial.usage.cost_usd for trial in done)
        errors, fallbacks = sum(trial.replay.error is not None for trial in done), sum(t.replay.fallbacks for t in done)
        return f"{calls} calls, {errors} errors, {fallbacks} fallbacks, {usd:.2f} USD"

    @property
    def _progress(self) -> str:
        total = len({wanted.key for wanted in self.wanted})
        return f"kept: {sum(map(self._stands, self.found.values()))} of {total} trials, in {self._kept.path}"

    def _stands(self, trial: FinishedTrial) -> bool:
        """Whether a trial need not run again; one that broke has to, where a chat model is asked."""
        return trial.replay.error is None or not self._services.asks_model

    def _survive(self, failure: WorkerFailure, pending: list[_Wanted], advance: Callable[[int], object]) -> None:
        """Record a worker's failure; raises UserError where the settings say so, or no trial can be blamed.

        Where a failure stops the run, it first runs once more: a package with threads may hang once in thousands.
        """
        blameless = failure.position is None and self._lanes == 1
        if self._settings.worker_failure == "stop" and failure.position is not None:
            key = pending[failure.position].key
            if key not in self._failed:
                self._failed.add(key)
                print(f"{failure}; it runs once more", file=sys.stderr)
                return
        if self._settings.worker_failure == "stop" or blameless:
            remedy = "run again to go on"
            if failure.hung:
                remedy += ", or raise run.case_timeout_s"
            if not blameless:
                remedy += f", or set run.worker_failure: record to score such a {pending[0].workload.unit} as an error"
            raise UserError(f"{failure}; {self._progress}; log: {self._session.log_path}; {remedy}") from failure
        if failure.position is None:
            # One at a time, the next failure will show which trial it was.
            self._lanes = 1
            return
        self._add(pending.pop(failure.position), Replay(error=str(failure)))
        advance(1)

    def _run_worker(self, pending: list[_Wanted], advance: Callable[[int], object]) -> None:
        """Run trials in one worker and take those that are done out of `pending`; on a failure, the rest is left."""
        session, given, done = self._session, self._at_once(pending), set[int]()
        workload = given[0].workload
        start, seconds, keeps_home = self._start(workload), self._settings.start_timeout_s, bool(workload.erasures)
        in_memory = session.in_memory and not (keeps_home or workload.timed)
        try:
            with (
                worker_home(self._kept.path, in_memory, workload.name if keeps_home else "") as home,
                started_worker(
                    self._name,
                    session.python,
                    start,
                    seconds,
                    home,
                    session.log_path,
                    keeps_home,
                    self._system.is_untrusted,
                ) as worker,
            ):
                for position, came in worker.run(self._jobs(given), self._lanes, self._limit_s(given), self._reply):
                    if self._services.stop is not None:
                        return
                    self._add(given[position], *came)
                    done.add(position)
                    advance(1)
        except WorkerFailure as failure:
            if failure.position is not None:
                failure.position -= sum(position < failure.position for position in done)
            raise
        finally:
            left = [wanted for position, wanted in enumerate(given) if position not in done]
            pending[:] = left + pending[len(given) :]

    def _at_once(self, pending: Sequence[_Wanted]) -> list[_Wanted]:
        """The trials that one worker does, which come first: those of one workload and one repetition."""
        first = self._manner(pending[0])
        return list(takewhile(lambda wanted: self._manner(wanted) == first, pending))

    def _manner(self, wanted: _Wanted) -> tuple[Any, ...]:
        """What the trials of one worker have in common: their workload, since stores remember within a process, and
        their repetition, since a trial ends with what must not have been recalled. Of times, that is no matter."""
        workload, repetition = wanted.workload, wanted.context.repetition
        options = self._session.options(workload)
        return workload.name, options, workload.haystack, workload.timed, 0 if workload.timed else repetition

    def _start(self, workload: Workload) -> Start:
        system, embedder, services = self._system, self._session.embedder, self._services
        keeps_na = system.contract == "paper"
        configuration = system.backend, dict(system.policies), dict(system.options), keeps_na
        options, haystack = self._session.options(workload), EmbeddedTexts.of(workload.haystack, embedder)
        asked = services.planner, services.system, list(self._session.keys)
        return Start(*configuration, *asked, embedder.dim, self._lanes, options, haystack)

    def _jobs(self, given: Sequence[_Wanted]) -> Iterator[Job[_Outcome]]:
        for wanted in given:
            trial = self._services.begin(wanted.context, wanted.workload.cases.get(wanted.context.case_id))
            case = wanted.workload.erasures.get(wanted.context.case_id)
            conversation = self._replay(wanted, trial) if case is None else self._examination(wanted, trial, case)
            yield f"at {wanted.workload.unit} {wanted.context.case_id}", conversation

    def _history(self, wanted: _Wanted) -> History:
        return self._by_name[wanted.workload.name, wanted.context.case_id]

    def _replay(self, wanted: _Wanted, trial: str) -> Conversation:
        """Tell a worker a history, part by part."""
        options = self._session.options(wanted.workload)
        return (yield from self._telling(trial, conduct(self._history(wanted), options))), []

    def _examination(self, wanted: _Wanted, trial: str, case: ErasureCase) -> Conversation:
        """Have a worker do a part of a case of the erasure audit, act by act."""
        files, options = self._services.files, self._session.options(wanted.workload)
        assert files is not None
        acts = examine(case, wanted.context.repetition, files, self._offered, options.k, options.gold)
        examined = yield from self._telling(trial, acts)
        return Replay(error=examined.error), examined.findings

    def _telling(self, trial: str, conversation: Generator[Any, Any, R]) -> Generator[Tell, Came, R]:
        """Tell a worker what is to be told, one after the other, with the vectors of its texts."""
        embedder, sent = self._session.embedder, set[str]()
        told = next(conversation)
        while True:
            new = [text for text in told.texts() if text not in sent]
            sent.update(new)
            came = yield Tell(trial, told, EmbeddedTexts.of(new, embedder))
            try:
                told = conversation.send(came)
            except StopIteration as end:
                result: R = end.value
                return result

    def _limit_s(self, given: Sequence[_Wanted]) -> float:
        """What a trial may take: its own limit, as long as a start for inscribing the haystack, and the model's
        patience for each few mutations of the longest history."""
        most = max(len(self._history(wanted).mutations) for wanted in given)
        limit_s = max(wanted.workload.limit_s for wanted in given)
        haystack_s = self._settings.start_timeout_s if given[0].workload.haystack else 0.0
        return limit_s + haystack_s + self._services.patience_s * max(1, most / _MUTATIONS_OF_CASE)

    def _reply(self, request: Request) -> Reply:
        match request:
            case Embed(texts):
                return EmbeddedTexts.of(texts, self._session.embedder)
            case Complete() if self._services.complete is not None:
                return self._services.complete(request)
            case Plan() if self._services.plan is not None:
                return self._services.plan(request)
        raise ValueError(f"nobody here does {type(request).__name__.lower()}")

    def _add(self, wanted: _Wanted, replay: Replay, findings: Sequence[Finding] = ()) -> None:
        context, usage = wanted.context, self._services.usage(wanted.context)
        if replay.error is None and (lacking := self._services.lacking(context)):
            # The system swallowed that a recorded answer was lacking.
            replay = Replay(error=lacking)
        if replay.traceback:
            with self._session.log_path.open("a", encoding="utf-8") as log:
                log.write(f"at {wanted.workload.unit} {context.case_id}: {replay.error}\n{replay.traceback}\n")
        trial = FinishedTrial(context.suite, context.case_id, context.repetition, replay, usage, list(findings))
        self._kept.add(wanted.key, trial)
        self.found[wanted.key] = trial
