"""The erasure audit of one configuration, as rows of `lethe.schemas.ERASURE_RECORDS`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from forgeteval.cases.erasure.case import ErasureCase
from forgeteval.embed.embedder import Embedder
from forgeteval.errors import UserError
from forgeteval.files import write_text
from forgeteval.run.storable import storable
from lethe.fingerprints import value_fingerprint
from lethe.folders import remove_folder
from lethe.jobs.erasing import STORES, folders_made
from lethe.jobs.homes import worker_home
from lethe.jobs.kept import FinishedTrial
from lethe.jobs.looking import Looker
from lethe.jobs.messages import Scan, Scanned
from lethe.jobs.session import Session, Workload
from lethe.residue.scanning import KINDS, Scanner

PARTS = 2
"""Up to the compaction, and from the restart on: the repetitions of a case."""
_STAMP = "made_of"


def run_erasures(
    session: Session, cases: Sequence[ErasureCase], haystack: Sequence[str], limit_s: float = 60.0
) -> list[dict[str, Any]]:
    """Examine cases on one system, in a store of the haystack and the two memories of a case; the rows.

    What the system wrote is kept beside the kept trials until the last one is done, so that an interrupted audit goes
    on.

    Raises:
        UserError: see `Session.run`.
    """
    memories = len(haystack) + 2
    name = f"erasure-{memories}"
    with worker_home(session.kept.path, False, name) as home, Looker() as looker:
        detector = Detector(cases, session.embedder, home, session.log_path, looker)
        audited = replace(session, services=replace(session.services, scan=detector.scan))
        histories, erasures = [case.to_history() for case in cases], {case.case_id: case for case in cases}
        workload = Workload(name, "case", histories, limit_s, PARTS, haystack, strict=True, erasures=erasures)
        _clear_of_others(home, value_fingerprint(sorted(session.keys_of(workload).values())))
        [finished] = audited.run([workload])
        remove_folder(home)
        (home.parent / _STAMP).unlink()
    return [row for trial in finished for row in _rows(session, memories, trial)]


def _clear_of_others(home: Path, made_of: str) -> None:
    """Leave in a HOME what trials that depend on the same have written, or nothing."""
    stamp = home.parent / _STAMP
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != made_of:
        remove_folder(home)
        write_text(stamp, made_of)


class Detector:
    """Looks for the erased memories of cases in what a worker has written: its HOME, and its log.

    Args:
        home: the worker's HOME, with a folder for each case's store.
        log: what the system prints.
        looker: looks through them.
    """

    def __init__(self, cases: Sequence[ErasureCase], embedder: Embedder, home: Path, log: Path, looker: Looker) -> None:
        self._home, self._log, self._looker = home, log, looker
        self._made = {home / STORES / name for name in folders_made([case.case_id for case in cases])}
        # Before, others of the same job printed, who were told the same.
        self._begin = log.stat().st_size if log.is_file() else 0
        vectors = embedder.embed([case.target for case in cases])
        self._scanners = {
            case.case_id: Scanner(case.marker, vector, case.target) for case, vector in zip(cases, vectors, strict=True)
        }

    def scan(self, request: Scan) -> Scanned:
        """What is left of a case's memory, in its own store and in whatever is of no case."""
        scanner = self._scanners[request.case_id]
        own = self._home / STORES / request.case_id
        try:
            traces, scanner.seen = self._looker.look(
                scanner, self._home, own, self._made - {own}, self._log, self._begin
            )
        except UserError as error:
            return Scanned({}, f"what it wrote cannot be looked through: {error}")
        return Scanned({kind: [storable(str(trace)) for trace in traces if trace.kind == kind] for kind in KINDS})


def _rows(session: Session, rows: int, trial: FinishedTrial) -> Iterator[dict[str, Any]]:
    system, replay = session.system, trial.replay
    key = {"system": system.system, "model": system.model, "rows": rows, "case_id": trial.history}
    for finding in trial.findings:
        found = {"level": finding.level, "place": finding.place, "outcome": finding.outcome}
        yield {**key, **found, "detail": finding.detail}
    if replay.error is not None:
        level = "A0" if trial.repetition == 0 else "A5"
        yield {**key, "level": level, "place": "examination", "outcome": "error", "detail": [replay.error]}
