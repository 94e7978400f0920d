"""Running one system over one suite: the parent of the worker, its journal, its log and its time limits."""

import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Literal

from lethe.embedding.embedder import CachedEmbedder
from lethe.errors import LetheError, describe_os_error
from lethe.forgeteval.cases import Case
from lethe.forgeteval.journal import Journal
from lethe.forgeteval.trials import Trial
from lethe.forgeteval.worker import encode_vectors
from lethe.progress import progress
from lethe.provenance import PACKAGE, value_fingerprint

_PASSED_ON = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "LD_LIBRARY_PATH")
_WORKER_ENVIRONMENT = {
    "PYTHONPATH": str(PACKAGE.parent),
    "PYTHONHASHSEED": "0",
    "PYTHONUNBUFFERED": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ORT_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
}


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a system is run. Times are seconds; `worker_failure` says what a dead or hanging worker does to the run:
    "stop" ends it with an error, "record" scores the case as an error and goes on with a new worker."""

    k: int = 10
    repetitions: int = 1
    case_timeout_s: float = 60.0
    start_timeout_s: float = 120.0
    worker_failure: Literal["stop", "record"] = "stop"


@dataclass(frozen=True, slots=True)
class SystemConfiguration:
    """One entry of `config/systems.yaml` as the runner needs it."""

    name: str
    backend: str
    policies: Mapping[str, str]
    python: Path
    model: str = ""


class WorkerFailure(LetheError):
    """The worker died or hung; the message says at which case."""


def run_system(
    system: SystemConfiguration,
    cases: Sequence[Case],
    embedder: CachedEmbedder,
    settings: RunSettings,
    journal_path: Path,
    log_path: Path,
    fingerprint: str,
) -> list[dict[str, Any]]:
    """Run every case on one system and return the trial rows, in the order of `cases` and repetitions.

    Finished trials of an interrupted run with the same fingerprint are taken from the journal.

    Args:
        fingerprint: what the verdicts depend on besides cases and configuration (code, environment, embedder).

    Raises:
        LetheError: where the worker cannot start, dies or hangs, a file cannot be written, or every trial broke.
    """
    # "record" is no part of the fingerprint: a run that stopped at a hanging case can go on with it.
    whole = value_fingerprint(
        [
            fingerprint,
            system.name,
            system.backend,
            dict(system.policies),
            system.model,
            settings.k,
            settings.repetitions,
        ]
        + [case.to_json() for case in cases]
    )
    journal = Journal(journal_path, whole)
    wanted = [
        Trial(case.suite, system.name, system.model, repetition, case.case_id)
        for repetition in range(settings.repetitions)
        for case in cases
    ]
    try:
        _run_pending(system, cases, wanted, embedder, settings, journal, log_path)
    except BaseException:
        journal.close()
        raise
    rows = {_key(row): row for row in journal.trials}
    ordered = [rows[_key(asdict(trial))] for trial in wanted]
    errors = [row for row in ordered if row["verdict"] == "error"]
    if len(errors) == len(ordered):
        journal.discard()
        raise LetheError(
            f"{system.name}: every one of {len(ordered)} trials broke, the first with: {errors[0]['error']}"
        )
    journal.discard()
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
) -> None:
    by_id = {case.case_id: case for case in cases}
    finished = {_key(row) for row in journal.trials}
    pending = [trial for trial in wanted if (trial.case_id, trial.repetition) not in finished]
    if finished:
        print(f"{system.name}: {len(finished)} of {len(wanted)} trials are in {journal.path}", file=sys.stderr)
    with progress(f"{system.name} on {cases[0].suite}", len(wanted), len(finished)) as advance:
        while pending:
            with _worker(system, settings, journal, log_path, embedder) as worker:
                try:
                    while pending:
                        journal.append(worker.run(pending[0], by_id[pending[0].case_id]))
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


@contextlib.contextmanager
def _worker(
    system: SystemConfiguration,
    settings: RunSettings,
    journal: Journal,
    log_path: Path,
    embedder: CachedEmbedder,
) -> Iterator["_Worker"]:
    """A started worker with a home and a log of its own; ended, with its children, when the block ends."""
    home = journal.path.with_suffix(".home")
    shutil.rmtree(home, ignore_errors=True)
    try:
        home.mkdir(parents=True)
        log_path.parent.mkdir(parents=True, exist_ok=True)
        log = log_path.open("ab")
    except OSError as error:
        raise describe_os_error(error, f"writing {error.filename}") from error
    with log:
        worker = _Worker(system, settings, home, log, embedder)
        try:
            worker.start()
            yield worker
        finally:
            worker.end()
            shutil.rmtree(home, ignore_errors=True)
    if worker.printed:
        print(
            f"{system.name}: printed {worker.printed} bytes on standard output, kept in {log_path}",
            file=sys.stderr,
        )


class _Worker:
    """The parent's side of one worker process."""

    def __init__(
        self,
        system: SystemConfiguration,
        settings: RunSettings,
        home: Path,
        log: IO[bytes],
        embedder: CachedEmbedder,
    ) -> None:
        self._system, self._settings, self._embedder, self._home, self._log = (
            system,
            settings,
            embedder,
            home,
            log,
        )
        self.printed = 0

    def start(self) -> None:
        """Start the process and wait until its system is built."""
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        environment |= {
            **_WORKER_ENVIRONMENT,
            "HOME": str(self._home.absolute()),
            "TMPDIR": str(self._home.absolute()),
        }
        reading, writing = os.pipe()
        self._stdout = (self._home / "stdout").open("w+b")
        try:
            self._process = subprocess.Popen(
                [self._system.python, "-m", "lethe.forgeteval.worker", str(writing)],
                stdin=subprocess.PIPE,
                stdout=self._stdout,
                stderr=self._log,
                env=environment,
                cwd=self._home,
                pass_fds=(writing,),
                start_new_session=True,
            )
        except OSError as error:
            os.close(reading)
            message = f"{self._system.name}: {self._system.python} cannot be run ({error.strerror})"
            raise LetheError(f"{message}; remove that environment's folder and run again") from error
        finally:
            os.close(writing)
        self._reading, self._buffer = reading, b""
        start = {
            "backend": self._system.backend,
            "policies": dict(self._system.policies),
            "dim": self._embedder.dim,
            "k": self._settings.k,
        }
        self._send({"start": start}, "while starting")
        answer = self._receive(self._settings.start_timeout_s, "while starting")
        if "failed" in answer:
            raise LetheError(f"{self._system.name}: {answer['failed']}")

    def run(self, trial: Trial, case: Case) -> dict[str, Any]:
        """Run one trial and return its row. Raises WorkerFailure where the worker dies or exceeds the case's time."""
        texts = list(dict.fromkeys(case.texts()))
        key = {name: getattr(trial, name) for name in ("suite", "system", "model", "repetition", "case_id")}
        message = {
            "case": case.to_json(),
            "key": key,
            "texts": texts,
            "vectors": encode_vectors(self._embedder.embed(texts)),
        }
        place = f"at case {case.case_id}"
        deadline = time.monotonic() + self._settings.case_timeout_s
        self._send({"trial": message}, place)
        while True:
            answer = self._receive(deadline - time.monotonic(), place)
            if "done" in answer:
                row: dict[str, Any] = answer["done"]
                return row
            self._send({"vectors": encode_vectors(self._embedder.embed(answer["embed"]))}, place)

    def end(self) -> None:
        """Close the input, give the worker a moment to close its system, then end its whole process group."""
        if not hasattr(self, "_process"):
            return
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._reading)
        self._stdout.seek(0)
        printed = self._stdout.read()
        self.printed = len(printed)
        self._log.write(printed)
        self._stdout.close()

    def _send(self, message: dict[str, Any], place: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._death(place) from error

    def _receive(self, seconds: float, place: str) -> dict[str, Any]:
        """The next message, waited for at most `seconds`."""
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._reading, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    os.killpg(self._process.pid, signal.SIGKILL)
                    raise WorkerFailure(f"{self._system.name}: the worker hung {place} for {seconds:.0f} s")
                chunk = os.read(self._reading, 1 << 20)
                if not chunk:
                    raise self._death(place)
                self._buffer += chunk
        line, self._buffer = self._buffer.split(b"\n", 1)
        message: dict[str, Any] = json.loads(line)
        return message

    def _death(self, place: str) -> WorkerFailure:
        code = self._process.wait()
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return WorkerFailure(f"{self._system.name}: the worker died {place} ({how}); {self._last_words()}")

    def _last_words(self) -> str:
        self._log.flush()
        lines = Path(self._log.name).read_text(encoding="utf-8", errors="replace").split("\n")
        spoken = [line.strip() for line in lines if line.strip()]
        return f"it said last: {spoken[-1][:200]}" if spoken else "it said nothing"
