"""Results of the atlas: kept beside a system's entry, taken up by the tables, compared with those of another run."""

import json
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from forgeteval.cases.errata import suite_version
from forgeteval.cases.interchange import cases_sha256
from forgeteval.errors import UserError
from forgeteval.files import write_text
from lethe.config.atlas import (
    ERASURE_FILE,
    RECORD_FILE,
    SUITES,
    TRIALS_FILE,
    Entry,
    Recorded,
    entry_folders,
    read_entry,
    read_record,
)
from lethe.config.model import Config
from lethe.config.submission import HandedSuite
from lethe.fingerprints import package_fingerprint, sha256_of
from lethe.parquet import Row, read_rows, write_rows
from lethe.schemas import CASES, ERASURE_RECORDS, TRIALS, Table
from lethe.stored.cases import read_suite

_KINDS: Mapping[str, Table] = {TRIALS_FILE: TRIALS, ERASURE_FILE: ERASURE_RECORDS}
_TIMES = ("inscribe_ms", "mutate_ms", "recall_ms", "cpu_ms")
_Rows = list[dict[str, Any]]


def result_files(entry: Entry, config: Config) -> dict[str, list[str]]:
    """The files of results of a system's configurations, from the folder of results, by the file that keeps them."""
    runs = [
        (suite, name) for suite in SUITES for name, system in entry.systems.items() if suite not in system.skip_suites
    ]
    sizes = [(rows, name) for rows in config.erasure.rows for name in entry.systems]
    return {
        TRIALS_FILE: [TRIALS.path.format(suite=suite, system=name) for suite, name in runs],
        ERASURE_FILE: [ERASURE_RECORDS.path.format(rows=rows, system=name) for rows, name in sizes],
    }


def record(folder: Path, results: Path, config: Config) -> Recorded:
    """Keep the results of a system beside its entry; what was kept before is replaced.

    Args:
        folder: of the system in the atlas.
        results: folder that holds `results`.

    Raises:
        UserError: where a file of results is missing.
    """
    entry = read_entry(folder)
    kept = {name: _read(results, paths, _KINDS[name]) for name, paths in result_files(entry, config).items()}
    suites = {suite: read_suite(results / CASES.path.format(suite=suite)) for suite in SUITES}
    for row in kept[TRIALS_FILE]:
        # Times of one machine are no result; whole milliseconds take a third of the room.
        row.update({name: float(round(row[name])) for name in _TIMES})
    code = package_fingerprint()
    (folder / RECORD_FILE).unlink(missing_ok=True)
    for name, rows in kept.items():
        write_rows(folder / name, _KINDS[name], rows, code)
    freeze = Path(config.environments_dir, f"{next(iter(entry.systems.values())).environment}.freeze.txt")
    made = Recorded(
        datetime.now(UTC).date().isoformat(),
        {"platform": platform.platform(), "python": platform.python_version()},
        [line for line in freeze.read_text(encoding="utf-8").splitlines() if "==" in line],
        code,
        config.run.k,
        {
            suite: HandedSuite(suite_version(config.suites[suite].options()), cases_sha256(cases))
            for suite, cases in suites.items()
        },
        {name: sha256_of(folder / name) for name in kept},
    )
    write_text(folder / RECORD_FILE, json.dumps(asdict(made), indent=1, sort_keys=True) + "\n")
    return made


def take_up(atlas: Path, cases: Mapping[str, Path], trials: Path, records: Path, producer: str) -> None:
    """Join what is kept of every system of the atlas.

    Args:
        atlas: its folder.
        cases: file of the cases of each suite that is run here; trials of other cases are left out.

    Raises:
        UserError: where a file was changed since it was recorded.
    """
    sums = {suite: cases_sha256(read_suite(path)) for suite, path in cases.items()}
    joined: dict[str, _Rows] = {name: [] for name in _KINDS}
    for folder in entry_folders(atlas).values():
        found = read_record(folder)
        for name, rows in kept_rows(folder, found).items() if found else ():
            joined[name] += rows
    same = [row for row in joined[TRIALS_FILE] if row["suite"] in sums]
    write_rows(trials, TRIALS, same, producer)
    write_rows(records, ERASURE_RECORDS, joined[ERASURE_FILE], producer)


def kept_rows(folder: Path, found: Recorded) -> dict[str, _Rows]:
    """What is kept of a system, by file.

    Raises:
        UserError: where a file was changed since it was recorded.
    """
    for name in _KINDS:
        if sha256_of(folder / name) != found.files.get(name):
            raise UserError(f"{folder / name}: changed since it was recorded; run `forgeteval atlas run {folder.name}`")
    return {name: read_rows(folder / name, table) for name, table in _KINDS.items()}


def differences(folder: Path, results: Path, config: Config) -> Iterator[str]:
    """One line for each verdict of another run that is not the one that is kept.

    Raises:
        UserError: where nothing is kept, or a file of the other run is missing.
    """
    found = read_record(folder)
    if found is None:
        raise UserError(f"{folder}: nothing is recorded; run `forgeteval atlas run {folder.name}`")
    kept = kept_rows(folder, found)
    for name, paths in result_files(read_entry(folder), config).items():
        again = _read(results, paths, _KINDS[name])
        yield from _differing(_KINDS[name], kept[name], again, "verdict" if name == TRIALS_FILE else "outcome")


def _differing(table: Table, kept: Iterable[Row], again: Iterable[Row], said: str) -> Iterator[str]:
    def by_key(rows: Iterable[Row]) -> dict[tuple[Any, ...], Any]:
        return {tuple(row[name] for name in table.key): row[said] for row in rows}

    first, second = by_key(kept), by_key(again)
    for key in first.keys() | second.keys():
        one, other = first.get(key, "nothing"), second.get(key, "nothing")
        if one != other:
            yield f"{' '.join(str(part) for part in key if part != '')}: {one} is recorded, {other} came now"


def _read(results: Path, paths: Sequence[str], table: Table) -> _Rows:
    missing = [path for path in paths if not (results / path).is_file()]
    if missing:
        raise UserError(f"{results / missing[0]}: not there; `forgeteval atlas run NAME` makes it")
    return [row for path in paths for row in read_rows(results / path, table)]
