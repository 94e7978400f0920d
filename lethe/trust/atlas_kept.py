"""That nothing is missing of what the atlas records of its systems, and nothing else than what this project keeps."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from forgeteval.cases.erasure.generate import case_id
from forgeteval.cases.interchange import cases_sha256
from lethe.config.atlas import (
    ERASURE_FILE,
    LONG_FILE,
    SIZES,
    TOLD_SUITE,
    TRIALS_FILE,
    Recorded,
    entry_folders,
    read_record,
)
from lethe.config.configurations import ATLAS
from lethe.fingerprints import PROJECT
from lethe.parquet import Row
from lethe.schemas import CASES, ERASURE_RECORDS, LONG_ANSWERS, TRIALS, Table
from lethe.stored.cases import suite_as_told, suite_from_rows, suite_of_trials
from lethe.study.atlas import AtlasSystem
from lethe.study.inputs import Files
from lethe.study.paths import ATLAS_LONG, ATLAS_RECORDS, ATLAS_TRIALS
from lethe.study.setup import Setup
from lethe.trust.answers_and_records import check_answers, check_erasures
from lethe.trust.atlas import read_kept
from lethe.trust.differing_rows import compare_rows
from lethe.trust.record import Audit
from lethe.trust.suites import long_events

_JOINED: Mapping[str, tuple[Table, str]] = {
    TRIALS_FILE: (TRIALS, ATLAS_TRIALS),
    LONG_FILE: (LONG_ANSWERS, ATLAS_LONG),
    ERASURE_FILE: (ERASURE_RECORDS, ATLAS_RECORDS),
}
"""What the files beside the entries are joined in."""


def check_kept(setup: Setup, recorded: Collection[tuple[str, str]], files: Files, audit: Audit) -> Iterator[str]:
    """Whether each configuration of the atlas has trials of each suite, and all its long answers and erasure records;
    and whether those of this project's entries are the rows that are kept there.

    Args:
        recorded: the configurations and suites of which there are trials.
    """
    audit.taken += [
        f"atlas: {name} is not recorded on {place}, by its entry"
        for system in setup.atlas.values()
        for name, places in sorted(system.skipped.items())
        for place in places
    ]
    here = {suite: _sha256(suite, files) for suite in setup.atlas_suites()}
    for system in setup.atlas.values():
        for name in system.labels:
            for suite in _suites(system, name, here):
                if (name, suite) not in recorded:
                    yield f"{ATLAS_TRIALS}: lacks trials of {name} on {suite}"
    yield from _check_answers(setup, _by_system(files.rows(LONG_ANSWERS, ATLAS_LONG)))
    yield from _check_records(setup, _by_system(files.rows(ERASURE_RECORDS, ATLAS_RECORDS)))
    yield from _check_originals(setup, here, files)


def _check_originals(setup: Setup, here: Mapping[str, str], files: Files) -> Iterator[str]:
    """The rows of systems that this project's atlas holds too, against those kept beside their entries.

    Args:
        here: SHA-256 of the cases of each suite.
    """
    joined = {name: _by_system(files.rows(table, path)) for name, (table, path) in _JOINED.items()}
    folders = entry_folders(PROJECT / ATLAS)
    for entry, system in setup.atlas.items():
        recorded = read_record(folders[entry]) if entry in folders else None
        if recorded is None:
            continue
        for name, kept in read_kept(folders[entry], recorded).items():
            table, path = _JOINED[name]
            made = _taken_up(name, kept, system, recorded, here)
            found = [row for label in system.labels for row in joined[name].get(label, ())]
            yield from compare_rows(path, table, made, found, f"{ATLAS}/{entry}/{name} of this project")


def _taken_up(
    file: str, kept: Sequence[Row], system: AtlasSystem, recorded: Recorded, here: Mapping[str, str]
) -> Sequence[Row]:
    """The rows of a file beside an entry that `lethe.trust.atlas.take_up` joins, by configuration."""
    if file == TRIALS_FILE:
        same = {suite for suite in system.suites if recorded.suites[suite].cases_sha256 == here.get(suite)}
        kept = [row for row in kept if suite_of_trials(row["suite"]) in same]
    elif {LONG_FILE: "long", ERASURE_FILE: "erasure"}[file] in system.not_shown:
        return []
    by_system = _by_system(kept)
    return [row for label in system.labels for row in by_system.get(label, ())]


def _by_system(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found = defaultdict[str, list[Row]](list)
    for row in rows:
        found[f"{row['system']}@{row['model']}".rstrip("@")].append(row)
    return found


def _sha256(suite: str, files: Files) -> str:
    return cases_sha256(suite_from_rows(files.rows(CASES, CASES.path.format(suite=suite))))


def _suites(system: AtlasSystem, name: str, here: Mapping[str, str]) -> Iterator[str]:
    """The suites of which trials of a configuration are taken up, under the names in these trials."""
    skipped = system.skipped.get(name, ())
    for suite in system.suites:
        if here.get(suite) == system.cases.get(suite):
            yield from [suite] if suite not in skipped else []
            yield from [suite_as_told(suite)] if suite == TOLD_SUITE and "told" not in skipped else []


def _running(setup: Setup, workload: str) -> Iterator[str]:
    """The configurations whose results of a workload are kept and shown."""
    for system in setup.atlas.values():
        if system.day and workload not in system.not_shown:
            yield from (name for name in system.labels if workload not in system.skipped.get(name, ()))


def _check_answers(setup: Setup, found: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """The questions are made again: the seed and this project's material give them."""
    running, size = list(_running(setup, "long")), SIZES["long"]
    for name in sorted(found.keys() - {*running}):
        yield f"{ATLAS_LONG}: holds answers of {name}, of which nothing is recorded"
    events = long_events(setup.seed, size["histories"], size["k"]) if running else []
    for name in running:
        yield from check_answers(f"{ATLAS_LONG}: {name}", events, found.get(name, []), max(size["k"]))


def _check_records(setup: Setup, found: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    running = list(_running(setup, "erasure"))
    for name in sorted(found.keys() - {*running}):
        yield f"{ATLAS_RECORDS}: holds records of {name}, of which nothing is recorded"
    sizes, cases = SIZES["erasure"]["rows"], [case_id(number) for number in range(max(SIZES["erasure"]["cases"]))]
    for name in running:
        yield from check_erasures(f"{ATLAS_RECORDS}: {name}", sizes, cases, found.get(name, []))
