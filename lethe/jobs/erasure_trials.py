"""The erasure audit of one configuration, as rows of `lethe.schemas.ERASURE_RECORDS`."""

import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from forgeteval.cases.erasure.case import ErasureCase
from forgeteval.embed.embedder import Embedder
from forgeteval.files import write_text
from forgeteval.run.storable import storable
from lethe.fingerprints import value_fingerprint
from lethe.folders import remove_folder
from lethe.jobs.acting import SHARED, STORES, folders_of
from lethe.jobs.homes import worker_home
from lethe.jobs.kept import FinishedTrial
from lethe.jobs.looking import Looker
from lethe.jobs.session import Session, Workload
from lethe.residue.scanning import KINDS, Scanner

PARTS = 2
"""Up to the compaction, and from the restart on: the repetitions of a case."""
_STAMP = "made_of"
_TICK_S = 0.001


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
        audited = replace(session, services=replace(session.services, files=detector))
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

    Of the folders of other cases, and of other uses of a case, what was there before a part of it began is left out: it
    is not of it, and is much.

    Args:
        home: the worker's HOME, with a folder for each case's store.
        log: what the system prints.
        looker: looks through them.
    """

    def __init__(self, cases: Sequence[ErasureCase], embedder: Embedder, home: Path, log: Path, looker: Looker) -> None:
        self._home, self._log, self._looker = home, log, looker
        self._of_cases = {home / STORES / name for case in cases for name in folders_of(case.case_id)}
        self._begun, self._since = dict[str, int](), dict[str, int]()
        # Before, others of the same job printed, who were told the same.
        self._begin = log.stat().st_size if log.is_file() else 0
        vectors = embedder.embed([case.target for case in cases])
        self._scanners = {
            case.case_id: Scanner(case.marker, vector, case.target) for case, vector in zip(cases, vectors, strict=True)
        }

    def begin(self, case_id: str) -> None:
        """What stands in the folders of the audit by now, apart from the case's own, is not of this part of it.

        That is told by the time at which a file was last changed, which no program can set, on the clock of its file
        system.
        """
        with tempfile.TemporaryFile(dir=self._home.parent) as probe:
            begun = _changed(probe.fileno())
            while (since := _changed(probe.fileno())) == begun:
                time.sleep(_TICK_S)
        self._begun.setdefault(case_id, since)
        self._since[case_id] = since

    def scan(self, case_id: str) -> Mapping[str, Sequence[str]]:
        """What is left of a case's memory, in its own store and in whatever else was written since it began."""
        scanner, stores = self._scanners[case_id], self._home / STORES
        own = stores / case_id
        others = dict.fromkeys((stores / name for name in SHARED), self._begun[case_id])
        others |= dict.fromkeys(self._of_cases - {own}, self._since[case_id])
        traces, scanner.seen = self._looker.look(scanner, self._home, own, others, self._log, self._begin)
        return {kind: [storable(str(trace)) for trace in traces if trace.kind == kind] for kind in KINDS}


def _changed(file: int) -> int:
    """When a file that is changed now was changed, in ns."""
    os.utime(file)
    return os.fstat(file).st_ctime_ns


def _rows(session: Session, rows: int, trial: FinishedTrial) -> Iterator[dict[str, Any]]:
    system, replay = session.system, trial.replay
    key = {"system": system.system, "model": system.model, "rows": rows, "case_id": trial.history}
    for finding in trial.findings:
        found = {"level": finding.level, "place": finding.place, "outcome": finding.outcome}
        yield {**key, **found, "detail": finding.detail}
    if replay.error is not None:
        level = "A0" if trial.repetition == 0 else "A5"
        yield {**key, "level": level, "place": "examination", "outcome": "error", "detail": [replay.error]}
