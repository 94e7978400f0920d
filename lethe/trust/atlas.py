"""Results of the atlas: kept beside a system's entry, taken up by the tables, compared with those of another run."""

import hashlib
import json
import platform
import re
import shlex
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.cases.erasure.generate import case_id
from forgeteval.cases.errata import suite_version
from forgeteval.cases.interchange import cases_sha256
from forgeteval.cases.suites import build_suite
from forgeteval.errors import UserError, describe_os_error
from forgeteval.files import read_file, write_text
from forgeteval.foreign import apart
from forgeteval.limits import Limits
from lethe.config.atlas import (
    ENTRY_FILE,
    ERASURE_FILE,
    LONG_FILE,
    NODE_LOCK,
    PACKAGES_FILE,
    RECORD_FILE,
    SIZES,
    SUITES,
    TRIALS_FILE,
    Entry,
    Recorded,
    as_indexed,
    entry_folders,
    long_fingerprint,
    read_entry,
    read_record,
)
from lethe.config.configurations import Configuration
from lethe.config.model import Config
from lethe.config.submission import HandedSuite
from lethe.fingerprints import package_fingerprint, sha256_of, value_fingerprint
from lethe.parquet import Row, check_foreign, read_rows, write_rows
from lethe.report.atlas import atlas_page
from lethe.schemas import CASES, ERASURE_RECORDS, LONG_ANSWERS, TRIALS, Table
from lethe.stored.cases import cases_as_told, read_suite, suite_as_told, suite_of_trials, suite_rows
from lethe.study.paths import TOLD_TRIALS
from lethe.study.steps.score_atlas import STEP
from lethe.trust.answers_and_records import check_answers, check_erasures
from lethe.trust.suites import long_events
from lethe.trust.trials import check_suite

_KINDS: Mapping[str, Table] = {TRIALS_FILE: TRIALS, LONG_FILE: LONG_ANSWERS, ERASURE_FILE: ERASURE_RECORDS}
_SAID: Mapping[str, str] = {TRIALS_FILE: "verdict", LONG_FILE: "present", ERASURE_FILE: "outcome"}
"""What another run is compared by."""
_TIMES = ("inscribe_ms", "mutate_ms", "recall_ms", "cpu_ms")
_Rows = list[dict[str, Any]]
_MOST_BYTES, _MOST_UNPACKED = 16 << 20, 64 << 20
"""Of a file that is kept, as it is and as it unpacks."""
_LIMITS = Limits(memory=2 << 30, seconds=300)
"""Of the process that reads and judges what is kept of a system."""


def result_files(entry: Entry, config: Config) -> dict[str, list[str]]:
    """The files of results of a system's configurations, from the folder of results, by the file that keeps them."""

    def paths(pattern: str, place: str, **names: Any) -> list[str]:
        return [
            pattern.format(system=name, **names)
            for name, system in entry.systems.items()
            if place not in system.skip_suites
        ]

    suites = [path for suite in SUITES for path in paths(TRIALS.path, suite, suite=suite)]
    return {
        TRIALS_FILE: [*suites, *paths(TOLD_TRIALS, "told")],
        LONG_FILE: paths(LONG_ANSWERS.path, "long"),
        ERASURE_FILE: [
            path for rows in config.erasure.rows for path in paths(ERASURE_RECORDS.path, "erasure", rows=rows)
        ],
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
    for row in (*kept[TRIALS_FILE], *kept[LONG_FILE]):
        # Times of one machine are not a result; whole milliseconds take a third of the room.
        row.update({name: float(round(row[name])) for name in _TIMES if name in row})
    code = package_fingerprint()
    (folder / RECORD_FILE).unlink(missing_ok=True)
    for name, rows in kept.items():
        write_rows(folder / name, _KINDS[name], rows, code)
    made = Recorded(
        datetime.now(UTC).date().isoformat(),
        {"platform": platform.platform(), "python": platform.python_version()},
        _packages(folder, entry, config),
        code,
        config.run.k,
        {
            suite: HandedSuite(suite_version(config.suites[suite].options()), cases_sha256(cases))
            for suite, cases in suites.items()
        },
        {name: sha256_of(folder / name) for name in kept},
        long_fingerprint(config),
    )
    _write_record(folder, made)
    return made


def _write_record(folder: Path, made: Recorded) -> None:
    write_text(folder / RECORD_FILE, json.dumps(asdict(made), indent=1, sort_keys=True) + "\n")


def _packages(folder: Path, entry: Entry, config: Config) -> list[str]:
    """`NAME==VERSION` of a system's environment, and of the Node packages in it."""
    freeze = Path(config.environments_dir, f"{next(iter(entry.systems.values())).environment}.freeze.txt")
    listed = [line for line in freeze.read_text(encoding="utf-8").splitlines() if "==" in line]
    lock = folder / NODE_LOCK
    packages: dict[str, Any] = json.loads(read_file(lock))["packages"] if lock.is_file() else {}
    node = {path.rpartition("node_modules/")[2]: its["version"] for path, its in packages.items() if path}
    return [*listed, *(f"{name}=={version}" for name, version in node.items())]


def take_up(
    atlas: Path,
    cases: Mapping[str, Path],
    long: str,
    seed: int,
    k: int,
    trials: Path,
    answers: Path,
    records: Path,
    producer: str,
) -> None:
    """Join what is kept of every system of the atlas, judged again.

    Args:
        atlas: its folder.
        cases: file of the cases of each suite that is run here; trials of other cases are left out.
        long: what the long histories are made from here, likewise; empty where they are not run.
        seed: what they are drawn by.
        k: number of memories that a recall returns here; a record of another is left out.
        trials, answers, records: the files that are written.

    Raises:
        UserError: as of `judged_rows`.
    """
    suites = {suite: read_suite(path) for suite, path in cases.items()}
    events = _events(seed) if long else []
    joined: dict[str, _Rows] = {name: [] for name in _KINDS}
    for folder in entry_folders(atlas).values():
        found = read_record(folder)
        if found is None or found.k != k:
            continue
        for name, rows in judged_rows(folder, found, suites, events if found.long == long else []).items():
            joined[name] += rows
    write_rows(trials, TRIALS, joined[TRIALS_FILE], producer)
    write_rows(answers, LONG_ANSWERS, joined[LONG_FILE], producer)
    write_rows(records, ERASURE_RECORDS, joined[ERASURE_FILE], producer)


def kept_rows(folder: Path, found: Recorded) -> dict[str, _Rows]:
    """What is kept of a system, by file; read in a process of its own, since anybody may have made it.

    Raises:
        UserError: where a file was changed since it was recorded, is damaged, or would fill the memory.
    """
    return apart(read_kept, folder, found, limits=_LIMITS)


def judged_rows(
    folder: Path, found: Recorded, cases: Mapping[str, Sequence[Case]], events: Sequence[Row]
) -> dict[str, _Rows]:
    """What is kept of a system, by file; trials of other cases than these are left out.

    Args:
        events: rows of the long histories; without them, what is kept of any is left out.

    Raises:
        UserError: as of `kept_rows`, and where a row is of another system, a case, a question or a place of the erasure
            audit is missing, or a row is not what its case and its recalled texts let it be.
    """
    return apart(_judged_rows, folder, found, cases, events, limits=_LIMITS)


def read_kept(folder: Path, found: Recorded) -> dict[str, _Rows]:
    """`kept_rows`, read in this process."""
    for name in sorted(_KINDS.keys() - found.files.keys()):
        raise UserError(f"{folder / RECORD_FILE}: files: lacks {name}; run `forgeteval atlas run {folder.name}`")
    return {name: _read_kept(folder, name, found.files[name]) for name in _KINDS}


def _read_kept(folder: Path, name: str, sha256: str) -> _Rows:
    path = folder / name
    try:
        content = read_file(path, _MOST_BYTES)
    except OSError as error:
        raise describe_os_error(error, f"reading {path}") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise UserError(f"{path}: changed since it was recorded; run `forgeteval atlas run {folder.name}`")
    try:
        check_foreign(path, _MOST_UNPACKED)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    return read_rows(path, _KINDS[name])


def _judged_rows(
    folder: Path, found: Recorded, cases: Mapping[str, Sequence[Case]], events: Sequence[Row]
) -> dict[str, _Rows]:
    kept, systems = read_kept(folder, found), read_entry(folder).systems
    for name, rows in kept.items():
        of = {(row["system"], row["model"]) for row in rows} - {(system, "") for system in systems}
        if of:
            raise UserError(f"{folder / name}: holds rows of {'@'.join(min(of))!r:.60}, which its entry does not name")
    for row in kept[TRIALS_FILE]:
        if suite_of_trials(row["suite"]) not in found.suites:
            path = folder / TRIALS_FILE
            raise UserError(f"{path}: holds trials of {row['suite']!r:.60}, which {RECORD_FILE} does not name")
    same = dict(_same_cases(found, cases))
    for name, system in systems.items():
        own = {file: [row for row in rows if row["system"] == name] for file, rows in kept.items()}
        for fault in _faults(folder, found, name, system.skip_suites, own, same, events):
            raise UserError(f"{fault}; run `forgeteval atlas run {folder.name}`")
    trials = [row for row in kept[TRIALS_FILE] if row["suite"] in same]
    return {**kept, TRIALS_FILE: trials, LONG_FILE: kept[LONG_FILE] if events else []}


def _faults(
    folder: Path,
    found: Recorded,
    name: str,
    skipped: Collection[str],
    own: Mapping[str, Sequence[Row]],
    same: Mapping[str, Sequence[Case]],
    events: Sequence[Row],
) -> Iterator[str]:
    """What is wrong with the rows of a configuration, which skips some of the suites and workloads."""
    ran, path = defaultdict[str, _Rows](list), (folder / TRIALS_FILE).as_posix()
    for row in own[TRIALS_FILE]:
        ran[row["suite"]].append(dict(row))
    demanded = {*found.suites} - {*skipped}
    if "told" not in skipped:
        demanded.add(suite_as_told(SUITES[0]))
    for suite, cases in same.items():
        if ran[suite] or suite in demanded:
            yield from check_suite(path, cases, ran[suite], Configuration(name), 1, found.k)
    if events and (own[LONG_FILE] or "long" not in skipped):
        yield from check_answers((folder / LONG_FILE).as_posix(), events, own[LONG_FILE], found.k)
    if own[ERASURE_FILE] or "erasure" not in skipped:
        sizes, examined = SIZES["erasure"]["rows"], [case_id(number) for number in range(SIZES["erasure"]["cases"][0])]
        yield from check_erasures((folder / ERASURE_FILE).as_posix(), sizes, examined, own[ERASURE_FILE])


def _same_cases(found: Recorded, cases: Mapping[str, Sequence[Case]]) -> Iterator[tuple[str, Sequence[Case]]]:
    """The suites of a record whose cases are these, under the names in its trials: as they are, and as told."""
    for suite, recorded in found.suites.items():
        if suite in cases and cases_sha256(cases[suite]) == recorded.cases_sha256:
            yield suite, cases[suite]
            yield suite_as_told(suite), cases_as_told(cases[suite])


@dataclass(frozen=True, slots=True)
class Asked:
    """What the systems of the atlas are asked by a configuration, made once for all pages.

    Attributes:
        cases: of each suite.
        events: rows of the long histories.
        long: what they are made from.
        scorer: the one by which the paper counts.
    """

    cases: Mapping[str, Sequence[Case]]
    events: Sequence[Row]
    long: str
    scorer: str

    @classmethod
    def of(cls, config: Config) -> "Asked":
        cases = {suite: build_suite(suite, config.suites[suite].options()) for suite in SUITES}
        return cls(cases, _events(config.seed), long_fingerprint(config), config.paper.scorer)


def _events(seed: int) -> list[dict[str, Any]]:
    """The long histories that the systems of the atlas are asked."""
    return long_events(seed, SIZES["long"]["histories"], SIZES["long"]["k"])


def page(folder: Path, asked: Asked) -> str:
    """The page of a recorded system, as Markdown.

    Raises:
        UserError: where nothing is kept, and as of `judged_rows`.
    """
    found, entry = recorded(folder), read_entry(folder)
    cases = {suite: asked.cases[suite] for suite in found.suites if suite in asked.cases}
    kept = judged_rows(folder, found, cases, asked.events if found.long == asked.long else [])
    counted = STEP.compute(
        cases=[row for each in cases.values() for row in suite_rows(each)],
        trials=kept[TRIALS_FILE],
        events=asked.events,
        answers=kept[LONG_FILE],
        records=kept[ERASURE_FILE],
        scorer=asked.scorer,
    )
    tables = kept[TRIALS_FILE], kept[ERASURE_FILE]
    install = install_line(folder, entry, found)
    return atlas_page(folder.name, entry, found, cases, *tables, counted, install, page_fingerprint(folder))


def install_line(folder: Path, entry: Entry, found: Recorded) -> str:
    """The command of a shell that installs what a system's environment asks for, in the versions of the record.

    Raises:
        UserError: where what it asks for cannot be read, or the record has no version of it.
    """
    if (folder / NODE_LOCK).is_file():
        return shlex.join(["npm", "install", f"{entry.package}@{entry.version}"])
    versions = dict(as_indexed(line).split("==") for line in found.packages)
    path = folder / PACKAGES_FILE
    try:
        lines = read_file(path).decode().splitlines()
    except OSError as error:
        raise describe_os_error(error, f"reading {path}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 (byte {error.start}); save it as UTF-8") from error
    pinned = []
    for line in (line.partition(" #")[0].strip() for line in lines):
        if not line or line.startswith(("#", "-r ")):
            continue
        name, extras = re.match(r"([A-Za-z0-9._-]*)(\[[^]]*\])?", line).groups("")  # type: ignore[union-attr]
        version = versions.get(as_indexed(f"{name}==").removesuffix("=="))
        if line.startswith("-") or not ("==" in line or version):
            raise UserError(f"{path}: {line!r:.80} is no package of {RECORD_FILE}; name one, as NAME or NAME==VERSION")
        pinned.append(f"{name}{extras}=={version}" if version else line)
    return shlex.join(["pip", "install", *pinned])


def page_fingerprint(folder: Path) -> str:
    """Of what a system's page is made from."""
    return value_fingerprint([sha256_of(folder / name) for name in (ENTRY_FILE, RECORD_FILE)])


@dataclass(frozen=True, slots=True)
class Compared:
    """Another run held against what is kept: verdicts, answers of long histories and outcomes of the erasure audit.

    Attributes:
        rows: how many were compared.
        new: what was kept and what came now, in words, of each that differs and is not known to vary, by its key.
        known: keys of those that differ, and vary between runs by the record.
    """

    rows: int
    new: Mapping[str, str]
    known: Sequence[str]


def compare(folder: Path, results: Path, config: Config) -> Compared:
    """Hold another run of a system against what is kept of it.

    Raises:
        UserError: where nothing is kept, what is kept was asked something else, or a file of the other run is missing.
    """
    found = recorded(folder)
    _check_asked(folder, found, results, config)
    kept = kept_rows(folder, found)
    rows, differing = 0, dict[str, str]()
    for name, paths in result_files(read_entry(folder), config).items():
        first = _by_key(_KINDS[name], kept[name], _SAID[name])
        second = _by_key(_KINDS[name], _read(results, paths, _KINDS[name]), _SAID[name])
        keys = sorted(first.keys() | second.keys())
        rows += len(keys)
        both = {key: (first.get(key, "nothing"), second.get(key, "nothing")) for key in keys}
        differing |= {key: f"{one} is recorded, {other} came now" for key, (one, other) in both.items() if one != other}
    new = {key: words for key, words in differing.items() if key not in found.varying}
    return Compared(rows, new, [key for key in differing if key not in new])


def _check_asked(folder: Path, found: Recorded, results: Path, config: Config) -> None:
    """Raise UserError where a record is of another k, or of other cases or histories, than another run."""
    cases = {suite: read_suite(results / CASES.path.format(suite=suite)) for suite in SUITES}
    same = {suite for suite, _ in _same_cases(found, cases)}
    other = [f"the cases of {suite}" for suite in sorted(found.suites.keys() | {*SUITES}) if suite not in same]
    other += ["the long histories"] if found.long not in ("", long_fingerprint(config)) else []
    other += [f"run.k, {found.k} in the record"] if found.k != config.run.k else []
    if other:
        remedy = f"restore them, or run `forgeteval atlas run {folder.name}` to record it anew"
        raise UserError(f"{folder / RECORD_FILE}: not compared, since others are here: {', '.join(other)}; {remedy}")


def note(folder: Path, compared: Compared) -> None:
    """Add another run to a record: what differed in it varies between runs from then on."""
    found = recorded(folder)
    varying = sorted({*found.varying, *compared.new})
    _write_record(folder, replace(found, runs=found.runs + 1, varying=varying))


def recorded(folder: Path) -> Recorded:
    """What is recorded of a system in the version of its entry; UserError where nothing is."""
    found = read_record(folder)
    if found is None:
        remedy = f"run `forgeteval atlas run {folder.name}`"
        raise UserError(f"{folder}: nothing is recorded, or not of the version in {ENTRY_FILE}; {remedy}")
    return found


def _by_key(table: Table, rows: Iterable[Row], said: str) -> dict[str, Any]:
    return {" ".join(str(row[name]) for name in table.key if row[name] != ""): row[said] for row in rows}


def _read(results: Path, paths: Sequence[str], table: Table) -> _Rows:
    missing = [path for path in paths if not (results / path).is_file()]
    if missing:
        raise UserError(f"{results / missing[0]}: not there; `forgeteval atlas run NAME` makes it")
    return [row for path in paths for row in read_rows(results / path, table)]
