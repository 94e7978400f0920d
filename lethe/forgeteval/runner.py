"""Running one system over one suite: trials in order, a journal, and what a worker's failure means."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from lethe.embedding.embedder import CachedEmbedder
from lethe.errors import LetheError
from lethe.forgeteval.cases import Case
from lethe.forgeteval.journal import Journal
from lethe.forgeteval.trials import Trial
from lethe.forgeteval.worker import encode_vectors
from lethe.forgeteval.worker_process import SystemConfiguration, WorkerFailure, WorkerProcess, started_worker
from lethe.progress import progress
from lethe.provenance import value_fingerprint


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a system is run. Times are seconds; `worker_failure` says what a dead or hanging worker does to the run:
    "stop" ends it with an error, "record" scores the case as an error and goes on with a new worker."""

    k: int = 10
    repetitions: int = 1
    case_timeout_s: float = 60.0
    start_timeout_s: float = 120.0
    worker_failure: Literal["stop", "record"] = "stop"


def run_system(
    system: SystemConfiguration,
    cases: Sequence[Case],
    embedder: CachedEmbedder,
    settings: RunSettings,
    journal_path: Path,
    log_path: Path,
    fingerprint: str,
    haystack: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Run every case on one system and return the trial rows, in the order of `cases` and repetitions.

    Finished trials of an interrupted run with the same fingerprint are taken from the journal.

    Args:
        fingerprint: what the verdicts depend on besides cases and configuration (code, environment, embedder).
        haystack: unrelated rows that stand in the store before each case's facts; sent to the worker once.

    Raises:
        LetheError: where the worker cannot start, dies or hangs, a file cannot be written, or every trial broke.
    """
    # Time limits and `worker_failure` are no part of it: a run that stopped at a hanging case can go on with others.
    configuration = [system.name, system.backend, dict(system.policies), system.model, settings.k, settings.repetitions]
    whole = value_fingerprint([fingerprint, configuration, [case.to_json() for case in cases], list(haystack)])
    wanted = [
        Trial(case.suite, system.name, system.model, repetition, case.case_id)
        for repetition in range(settings.repetitions)
        for case in cases
    ]
    with Journal(journal_path, whole) as journal:
        _run_pending(system, cases, wanted, embedder, settings, journal, log_path, haystack)
        rows = {_key(row): row for row in journal.trials}
        ordered = [rows[_key(asdict(trial))] for trial in wanted]
        journal.discard()
    if all(row["verdict"] == "error" for row in ordered):
        first = ordered[0]["error"]
        raise LetheError(f"{system.name}: every one of {len(ordered)} trials broke, the first with: {first}")
    return ordered


def _key(row: Mapping[str, Any]) -> tuple[str, int]:
    return row["case_id"], row["repetition"]


def _run_pending(
    system: SystemConfiguration,
    cases: Sequence[Case],
    wanted: Sequence[Trial],
    embedder: CachedEmbedder,
    settings: RunSettings,
    journal: Journal,
    log_path: Path,
    haystack: Sequence[str],
) -> None:
    by_id = {case.case_id: case for case in cases}
    finished = {_key(row) for row in journal.trials}
    pending = [trial for trial in wanted if (trial.case_id, trial.repetition) not in finished]
    if finished:
        print(f"{system.name}: {len(finished)} of {len(wanted)} trials are in {journal.path}", file=sys.stderr)
    start = {
        "backend": system.backend,
        "policies": dict(system.policies),
        "dim": embedder.dim,
        "k": settings.k,
        "haystack": _with_vectors(haystack, embedder),
    }
    # A case among unrelated rows begins with inscribing them: as long as a start may take.
    case_limit_s = settings.case_timeout_s + (settings.start_timeout_s if haystack else 0)
    home = journal.path.with_suffix(".home")
    with progress(f"{system.name} on {cases[0].suite}", len(wanted), len(finished)) as advance:
        while pending:
            with started_worker(system, start, settings.start_timeout_s, home, log_path, embedder) as worker:
                try:
                    while pending:
                        journal.append(_run_one(worker, pending[0], by_id[pending[0].case_id], embedder, case_limit_s))
                        pending.pop(0)
                        advance(1)
                except WorkerFailure as failure:
                    if settings.worker_failure == "stop":
                        kept = f"{len(journal.trials)} of {len(wanted)} finished trials are kept in {journal.path}"
                        mend = "run again to go on, or set run.worker_failure: record to score such cases as errors"
                        raise LetheError(f"{failure}; {kept}; log: {log_path}; {mend}") from failure
                    broken = pending.pop(0)
                    broken.error = str(failure)
                    journal.append(broken.to_row())
                    advance(1)


def _run_one(
    worker: WorkerProcess, trial: Trial, case: Case, embedder: CachedEmbedder, limit_s: float
) -> dict[str, Any]:
    key = {name: getattr(trial, name) for name in ("suite", "system", "model", "repetition", "case_id")}
    message = {"case": case.to_json(), "key": key, **_with_vectors(list(dict.fromkeys(case.texts())), embedder)}
    row: dict[str, Any] = worker.ask({"trial": message}, limit_s, f"at case {case.case_id}")
    return row


def _with_vectors(texts: Sequence[str], embedder: CachedEmbedder) -> dict[str, Any]:
    return {"texts": list(texts), "vectors": encode_vectors(embedder.embed(texts))}
