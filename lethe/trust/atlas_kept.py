"""That nothing is missing of what the atlas records of its systems."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from forgeteval.cases.interchange import cases_sha256
from forgeteval.cases.long.generate import generate_histories
from forgeteval.cases.long.material import read_material
from lethe.config.atlas import SIZES, TOLD_SUITE
from lethe.fingerprints import SHIPPED
from lethe.parquet import Row
from lethe.schemas import CASES, ERASURE_RECORDS, LONG_ANSWERS
from lethe.stored.cases import suite_as_told, suite_from_rows
from lethe.stored.histories import event_rows
from lethe.study.atlas import AtlasSystem
from lethe.study.inputs import Files
from lethe.study.paths import ATLAS_LONG, ATLAS_RECORDS, ATLAS_TRIALS
from lethe.study.setup import Setup
from lethe.trust.differing_rows import shortened
from lethe.trust.record import Audit
from lethe.trust.trials import check_rows


def check_kept(setup: Setup, recorded: Collection[tuple[str, str]], files: Files, audit: Audit) -> Iterator[str]:
    """Whether each configuration of the atlas has trials of each suite, and all its long answers and erasure records.

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
    answers = files.rows(LONG_ANSWERS, ATLAS_LONG)
    yield from check_rows(ATLAS_LONG, answers, LONG_ANSWERS, max(SIZES["long"]["k"]))
    yield from shortened(ATLAS_LONG, _lacking_answers(setup, answers), "questions without an answer")
    records = files.rows(ERASURE_RECORDS, ATLAS_RECORDS)
    yield from shortened(ATLAS_RECORDS, _lacking_records(setup, records), "cases without all their records")


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


def _lacking_answers(setup: Setup, answers: Collection[Row]) -> Iterator[str]:
    """The questions are made again: the seed and this project's material give them."""
    wanted, running, size = set[tuple[str, str]](), list(_running(setup, "long")), SIZES["long"]
    if running:
        histories = generate_histories(read_material(SHIPPED / "suites/long"), setup.seed, size["histories"], size["k"])
        wanted = {(row["history"], row["question_id"]) for row in event_rows(histories) if row["question_id"]}
    found = defaultdict[str, set[tuple[str, str]]](set)
    for row in answers:
        found[row["system"]].add((row["history"], row["question_id"]))
    for name in sorted(found.keys() - {*running}):
        yield f"{ATLAS_LONG}: holds answers of {name}, of which nothing is recorded"
    for name in running:
        for _, question in sorted(wanted - found[name]):
            yield f"{ATLAS_LONG}: lacks the answer of {name} to {question}"


def _lacking_records(setup: Setup, records: Collection[Row]) -> Iterator[str]:
    """A configuration has the same places in each case."""
    found = defaultdict[str, set[tuple[int, str, str, str]]](set)
    for row in records:
        found[row["system"]].add((row["rows"], row["case_id"], row["level"], row["place"]))
    sizes = zip(SIZES["erasure"]["rows"], SIZES["erasure"]["cases"], strict=True)
    cases = [(rows, f"erasure-{number + 1:02}") for rows, count in sizes for number in range(count)]
    running = list(_running(setup, "erasure"))
    for name in sorted(found.keys() - {*running}):
        yield f"{ATLAS_RECORDS}: holds records of {name}, of which nothing is recorded"
    for name in running:
        places = {(level, place) for _, _, level, place in found[name]}
        for rows, case in cases:
            there = {(level, place) for size, of, level, place in found[name] if (size, of) == (rows, case)}
            if there != places or not there:
                of_all = f"{len(there)} of {len(places)}" if places else "none"
                yield f"{ATLAS_RECORDS}: {name}, {case}, {rows} memories: {of_all} records"
