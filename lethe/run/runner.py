"""Running one system over one suite: trials in order, a journal, and what a worker's failure means."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from lethe.cases.case import Case
from lethe.embedding.embedder import CachedEmbedder
from lethe.errors import LetheError
from lethe.fingerprints import value_fingerprint
from lethe.progress import progress
from lethe.run.journal import Journal
from lethe.run.trials import Trial
from lethe.run.worker import encode_vectors
from lethe.run.worker_process import SystemConfiguration, WorkerFailure, started_worker


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a system is run. Times are seconds; `worker_failure` says what a dead or hanging worker does to the run:
    "stop" ends it with an error, "record" scores the case as an error and goes on with a new worker."""

    k: int = 10
    repetitions: int = 1
    case_timeout_s: float = 60.0
    start_timeout_s: float = 120.0
    worker_failure: Literal["stop", "record"] = "stop"


class ChatAccess(Protocol):
    """What a run needs of the gateway (`lethe.gateway`): for a hook, for the system's own requests, or for both."""

    @property
    def asks_model(self) -> bool:
        """Whether a chat model has part in the run; a run without one asks for embeddings alone."""

    @property
    def stop(self) -> str | None:
        """Why the run has to stop (a spending cap, an answer that replay lacks), else None."""

    def hook(self) -> dict[str, Any] | None:
        """The arguments of `lethe.planners.llm.client.chat_client` but for the headers; None where no model plans."""

    def services(self) -> dict[str, Any] | None:
        """The fields of `lethe.systems.protocol.Services`; None where the system asks nobody itself."""

    def begin(self, trial: Mapping[str, Any]) -> None:
        """From here on the system's own requests belong to this trial."""

    @property
    def lanes(self) -> int:
        """How many trials may wait for the model at once."""

    @property
    def patience_s(self) -> float:
        """How many seconds longer than `case_timeout_s` a trial may take for the model's sake."""

    def respond(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Answer what a hook without a URL asks this process."""

    def usage(self, row: Mapping[str, Any]) -> dict[str, int | float]:
        """Calls, tokens and cost of a trial so far, by the names of the trial's columns."""


def run_system(
    system: SystemConfiguration,
    cases: Sequence[Case],
    embedder: CachedEmbedder,
    settings: RunSettings,
    journal_path: Path,
    log_path: Path,
    fingerprint: str,
    haystack: Sequence[str] = (),
    chat: ChatAccess | None = None,
) -> list[dict[str, Any]]:
    """Run every case on one system and return the trial rows, in the order of `cases` and repetitions.

    Finished trials of an interrupted run with the same fingerprint are taken from the journal; with a chat model,
    those that ended in an error are run again.

    Args:
        fingerprint: what the verdicts depend on besides cases and configuration (code, environment, embedder).
        haystack: unrelated rows that stand in the store before each case's facts; sent to the worker once.
        chat: the gateway, for a hook or a system that asks it; None for any other.

    Raises:
        LetheError: where the worker cannot start, dies or hangs, a file cannot be written, the chat model's cap is
            reached, or, without a chat model, every trial broke.
    """
    # Time limits and `worker_failure` are no part of it: a run that stopped at a hanging case can go on with others.
    configuration = [
        [system.name, system.backend, dict(system.policies), dict(system.options), system.model, system.keeps_na],
        [settings.k, settings.repetitions],
    ]
    whole = value_fingerprint([fingerprint, configuration, [case.to_json() for case in cases], list(haystack)])
    wanted = [
        Trial(case.suite, system.name, system.model, repetition, case.case_id)
        for repetition in range(settings.repetitions)
        for case in cases
    ]
    with Journal(journal_path, whole) as journal:
        _Run(system, cases, embedder, settings, journal, log_path, haystack, chat).finish(wanted)
        rows = {_key(row): row for row in journal.trials}
        ordered = [rows[_key(asdict(trial))] for trial in wanted]
        journal.discard()
    if not _asks_model(chat) and all(row["verdict"] == "error" for row in ordered):
        first = ordered[0]["error"]
        raise LetheError(f"{system.name}: every one of {len(ordered)} trials broke, the first with: {first}")
    return ordered


def _asks_model(chat: ChatAccess | None) -> bool:
    return chat is not None and chat.asks_model


def start_message(
    system: SystemConfiguration,
    embedder: CachedEmbedder,
    k: int,
    lanes: int,
    chat: ChatAccess | None,
    haystack: Sequence[str] = (),
) -> dict[str, Any]:
    """The first message to a worker, which says what to build; see `lethe.run.worker`."""
    return {
        "backend": system.backend,
        "policies": dict(system.policies),
        "dim": embedder.dim,
        "k": k,
        "lanes": lanes,
        "options": dict(system.options),
        "keeps_na": system.keeps_na,
        "hook": None if chat is None else chat.hook(),
        "services": None if chat is None else chat.services(),
        "haystack": with_vectors(embedder, haystack),
    }


def with_vectors(embedder: CachedEmbedder, texts: Sequence[str]) -> dict[str, Any]:
    """Texts and their vectors as a message to a worker carries them."""
    return {"texts": list(texts), "vectors": encode_vectors(embedder.embed(texts))}


def _key(row: Mapping[str, Any]) -> tuple[str, int]:
    return row["case_id"], row["repetition"]


@dataclass(frozen=True, slots=True)
class _Run:
    """One run of one system: what `run_system` was given, and the journal."""

    system: SystemConfiguration
    cases: Sequence[Case]
    embedder: CachedEmbedder
    settings: RunSettings
    journal: Journal
    log_path: Path
    haystack: Sequence[str]
    chat: ChatAccess | None

    def finish(self, wanted: Sequence[Trial]) -> None:
        """Run what the journal lacks."""
        repeats = {"error"} if _asks_model(self.chat) else set()
        finished = {_key(row) for row in self.journal.trials if row["verdict"] not in repeats}
        pending = [trial for trial in wanted if (trial.case_id, trial.repetition) not in finished]
        if finished:
            print(f"{self._name}: {len(finished)} of {len(wanted)} trials are in {self.journal.path}", file=sys.stderr)
        lanes = 1 if self.chat is None else self.chat.lanes
        with progress(f"{self._name} on {self.cases[0].suite}", len(wanted), len(finished)) as advance:
            while pending:
                try:
                    self._run_worker(pending, lanes, advance)
                except WorkerFailure as failure:
                    blameless = failure.position is None and lanes == 1
                    if self.settings.worker_failure == "stop" or blameless:
                        mend = "run again to go on, or set run.worker_failure: record to score such cases as errors"
                        message = f"{failure}; {self._kept(len(wanted))}; log: {self.log_path}; {mend}"
                        raise LetheError(message) from failure
                    if failure.position is None:
                        # One at a time, the next failure will show which case it was.
                        lanes = 1
                    else:
                        broken = pending.pop(failure.position)
                        broken.error = str(failure)
                        self.journal.append(broken.to_row())
                        advance(1)
                if self.chat is not None and self.chat.stop is not None:
                    raise LetheError(f"{self._name}: {self.chat.stop}; {self._kept(len(wanted))}")

    @property
    def _name(self) -> str:
        return f"{self.system.name} with {self.system.model}" if self.system.model else self.system.name

    def _kept(self, wanted: int) -> str:
        return f"{len(self.journal.trials)} of {wanted} finished trials are kept in {self.journal.path}"

    def _run_worker(self, pending: list[Trial], lanes: int, advance: Callable[[int], object]) -> None:
        """Run trials in one worker and take those that are done out of `pending`; on a failure, the rest is left."""
        start = start_message(self.system, self.embedder, self.settings.k, lanes, self.chat, self.haystack)
        # A case among unrelated rows begins with inscribing them: as long as a start may take.
        limit_s = self.settings.case_timeout_s + (self.settings.start_timeout_s if self.haystack else 0)
        limit_s += 0 if self.chat is None else self.chat.patience_s
        home = self.journal.path.with_suffix(".home")
        respond = None if self.chat is None else self.chat.respond
        given, done = list(pending), set[int]()
        by_id = {case.case_id: case for case in self.cases}
        jobs = (self._job(trial, by_id[trial.case_id]) for trial in given)
        try:
            with started_worker(
                self.system, start, self.settings.start_timeout_s, home, self.log_path, self.embedder
            ) as worker:
                for position, row in worker.run(jobs, lanes, limit_s, respond):
                    if self.chat is not None:
                        row |= self.chat.usage(row)
                        if self.chat.stop is not None:
                            return
                    self.journal.append(row)
                    done.add(position)
                    advance(1)
        except WorkerFailure as failure:
            if failure.position is not None:
                failure.position -= sum(position < failure.position for position in done)
            raise
        finally:
            pending[:] = [trial for position, trial in enumerate(given) if position not in done]

    def _job(self, trial: Trial, case: Case) -> tuple[str, dict[str, Any]]:
        key = {name: getattr(trial, name) for name in ("suite", "system", "model", "repetition", "case_id")}
        if self.chat is not None:
            self.chat.begin(key)
        message = {"case": case.to_json(), "key": key, **with_vectors(self.embedder, list(dict.fromkeys(case.texts())))}
        return f"at case {case.case_id}", message
