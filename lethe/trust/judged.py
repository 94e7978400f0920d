"""Every trial and answer against what was recalled: its verdict, its strings, and that none was left out."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.cases.history import History
from forgeteval.cases.sampling import first_of_each_category
from lethe.config.configurations import Configuration
from lethe.crosseval.records import histories_from_rows, question_from_row
from lethe.jobs import benchmark_trials as answers
from lethe.parquet import Row
from lethe.schemas import (
    ANNOTATION_SAMPLE,
    ANNOTATIONS,
    CASES,
    CROSSEVAL,
    CROSSEVAL_HISTORIES,
    CROSSEVAL_OPERATIONS,
    CROSSEVAL_QUESTIONS,
    ERASURE_CASES,
    ERASURE_RECORDS,
    JUDGEMENTS,
    LONG_ANSWERS,
    LONG_EVENTS,
    LONG_REPLAYS,
    TRIALS,
)
from lethe.stored.cases import cases_as_told, cases_at_size, suite_from_rows, suite_of_trials
from lethe.study.handed_in import HandedIn
from lethe.study.inputs import Files
from lethe.study.paths import (
    ABLATION_TRIALS,
    ATLAS_TRIALS,
    EMBEDDER_TRIALS,
    HANDED_TRIALS,
    LATENCY_TRIALS,
    STORE_SIZE_TRIALS,
    TOLD_TRIALS,
)
from lethe.study.setup import ABLATED, Setup
from lethe.study.steps.score_ablation import LEFT_OUT
from lethe.trust.answers_and_records import check_answers, check_erasures, check_replays
from lethe.trust.atlas_kept import check_kept
from lethe.trust.differing_rows import compare_rows, shortened
from lethe.trust.judgements import check_annotations, check_judgements, check_sample
from lethe.trust.recipe import RECIPE_FILE
from lethe.trust.record import Audit
from lethe.trust.trials import check_rows, check_suite

_SHOWN = 10
"""How many files are named that are not there."""


@dataclass(frozen=True, slots=True)
class _Run:
    """A configuration on the cases of a suite: where its trials are, how the cases are chosen and named, and how often
    each is run, where that is not what the configuration says."""

    path: str
    configuration: str
    suite: str
    size: int | None = None
    per_category: int | None = None
    repetitions: int | None = None
    told: bool = False

    def cases(self, files: Files) -> list[Case]:
        suite = suite_from_rows(files.rows(CASES, CASES.path.format(suite=self.suite)))
        chosen = suite if self.per_category is None else first_of_each_category(suite, self.per_category)
        if self.told:
            return cases_as_told(chosen)
        return chosen if self.size is None else cases_at_size(chosen, self.size)


_OF_A_RUN = re.compile(
    "|".join(re.sub(r"\{\w+\}", "[^/]+", table.path) for table in (TRIALS, LONG_ANSWERS, CROSSEVAL, JUDGEMENTS))
)
"""Files that each run leaves, and leaves alone in a run without the system or the suite."""


def check_judged(setup: Setup, k: int | None, files: Files, audit: Audit) -> None:
    """Judge everything again that the configuration runs.

    Args:
        k: number of memories that a recall returns, where that is known; the long histories have their own.
    """
    judged = list(_judged(setup, k, files, audit))
    missing = [path for path, _ in judged if files.listed is not None and path not in files.listed]
    more = {*missing[_SHOWN:]}
    for path, lines in audit.each("runs", judged):
        if path not in more:
            audit.collect(path, lines)
    if more:
        audit.findings.append(f"{RECIPE_FILE}: {len(more)} more files of runs are not there, or not in the manifest")
    others = (path for path in {*(files.listed or ())} - {path for path, _ in judged} if _OF_A_RUN.fullmatch(path))
    audit.taken += [f"{path}: of nothing that this run names; not looked at" for path in sorted(others)]
    if files.has(ANNOTATIONS.path):
        audit.taken.append(f"{ANNOTATIONS.path}: the labels of annotators; their sheets are not in the folder")
    for handed in setup.handed_in:
        for suite in handed.suites:
            path = HANDED_TRIALS.format(by=handed.by, system=handed.name, suite=suite)
            audit.taken.append(f"{path}: ran elsewhere, handed in by {handed.by}")


def _judged(setup: Setup, k: int | None, files: Files, audit: Audit) -> Iterator[tuple[str, Iterator[str]]]:
    """Each file that is judged again, and what is found in it, which is not looked for before it is asked."""
    for run in _runs(setup):
        yield run.path, _check_run(run, setup, k, files, audit)
    for handed in setup.handed_in:
        for suite in handed.suites:
            path = HANDED_TRIALS.format(by=handed.by, system=handed.name, suite=suite)
            yield path, _check_handed_in(path, handed, suite, k, files, audit)
    if setup.atlas:
        yield ATLAS_TRIALS, _check_atlas(setup, k, files, audit)
    for name in setup.long.configurations:
        path = LONG_ANSWERS.path.format(system=name)
        yield path, _check_long(path, name, setup, files, audit)
    if setup.erasure.stores:
        yield ERASURE_CASES.path, _check_erasures(setup, files, audit)
    yield from _said(setup, files)
    for benchmark, options in setup.benchmarks.items():
        for name in setup.configurations:
            if options.runs and name not in options.not_run:
                path = CROSSEVAL.path.format(benchmark=benchmark, system=name)
                yield path, _check_answers(benchmark, name, setup, k, files, audit)


def _said(setup: Setup, files: Files) -> Iterator[tuple[str, Iterator[str]]]:
    """What judges and annotators said of the cases."""
    for suite in setup.judged_suites():
        for judge in setup.judging(suite):
            path = JUDGEMENTS.path.format(suite=suite, model=judge)
            yield path, check_judgements(path, suite, judge, setup, files)
    if files.has(ANNOTATION_SAMPLE.path):
        yield ANNOTATION_SAMPLE.path, check_sample(setup, files)
    if files.has(ANNOTATIONS.path):
        yield ANNOTATIONS.path, check_annotations(files)


def _runs(setup: Setup) -> Iterator[_Run]:
    for suite in setup.suites:
        for name in setup.configurations:
            if setup.runs(name, suite):
                yield _Run(TRIALS.path.format(suite=suite, system=name), name, suite)
    if setup.matcher_runs:
        for kind in LEFT_OUT:
            yield _Run(ABLATION_TRIALS.format(evidence=kind), ABLATED, setup.adversarial_suite)
    for embedder in setup.embedder_ablation.embedders_to_run():
        for name in setup.embedder_ablation.configurations:
            yield _Run(EMBEDDER_TRIALS.format(embedder=embedder, system=name), name, setup.adversarial_suite)
    axis = setup.store_size
    for size in axis.sizes if axis.enabled else ():
        for name in axis.configurations:
            path = STORE_SIZE_TRIALS.format(size=size, system=name)
            yield _Run(path, name, axis.suite, size, axis.cases_per_category)
    for name in setup.told:
        yield _Run(TOLD_TRIALS.format(system=name), name, setup.adversarial_suite, told=True)
    chosen = setup.latency
    for name in setup.timed():
        path = LATENCY_TRIALS.format(system=name)
        yield _Run(path, name, setup.adversarial_suite, None, chosen.cases_per_category, chosen.repetitions)


def _check_run(run: _Run, setup: Setup, k: int | None, files: Files, audit: Audit) -> Iterator[str]:
    found, entry = files.rows(TRIALS, run.path), setup.configurations[run.configuration]
    audit.checked["trials"] += len(found)
    repetitions = run.repetitions or setup.repetitions_of(run.configuration)
    yield from check_suite(run.path, run.cases(files), found, entry, repetitions, k)


def _check_handed_in(
    path: str, handed: HandedIn, suite: str, k: int | None, files: Files, audit: Audit
) -> Iterator[str]:
    entry = Configuration(handed.system, model=handed.model, gateway=handed.gateway)
    found = files.rows(TRIALS, path)
    audit.checked["trials"] += len(found)
    yield from check_suite(path, _Run(path, handed.name, suite).cases(files), found, entry, handed.repetitions, k)


def _check_atlas(setup: Setup, k: int | None, files: Files, audit: Audit) -> Iterator[str]:
    """The recorded trials of the atlas: of some suites, as they are and as told, and then of all their cases."""
    recorded = defaultdict[tuple[str, str], list[Row]](list)
    for row in files.rows(TRIALS, ATLAS_TRIALS):
        recorded[row["system"], row["suite"]].append(row)
    audit.checked["trials"] += sum(map(len, recorded.values()))
    shown = {(name, suite) for own in setup.atlas.values() for name in own.labels for suite in own.suites}
    for (name, suite), found in recorded.items():
        of = suite_of_trials(suite)
        if (name, of) not in shown:
            yield f"{ATLAS_TRIALS}: holds trials of {name} on {suite}, of which nothing is recorded"
            continue
        cases = _Run(ATLAS_TRIALS, name, of, told=suite != of).cases(files)
        yield from check_suite(ATLAS_TRIALS, cases, found, Configuration(name), 1, k)
    yield from check_kept(setup, recorded.keys(), files, audit)


def _check_long(path: str, name: str, setup: Setup, files: Files, audit: Audit) -> Iterator[str]:
    events, found = files.rows(LONG_EVENTS, LONG_EVENTS.path), files.rows(LONG_ANSWERS, path)
    audit.checked["answers"] += len(found)
    yield from _of_others(path, name, setup, found)
    yield from check_answers(path, events, found, max(setup.long.ks))
    replays_path = LONG_REPLAYS.path.format(system=name)
    replays = files.rows(LONG_REPLAYS, replays_path)
    yield from _of_others(replays_path, name, setup, replays)
    yield from check_replays(replays_path, LONG_REPLAYS, events, replays)


def _check_erasures(setup: Setup, files: Files, audit: Audit) -> Iterator[str]:
    """Whether each configuration was examined on each case, in stores of each size, at each place."""
    cases = [row["case_id"] for row in files.rows(ERASURE_CASES, ERASURE_CASES.path)]
    for name, stores in setup.erasure.stores.items():
        for size, wanted in stores:
            path = ERASURE_RECORDS.path.format(rows=size, system=name)
            found = files.rows(ERASURE_RECORDS, path)
            audit.checked["erasure records"] += len(found)
            yield from _of_others(path, name, setup, found)
            yield from check_erasures(path, [size], cases[:wanted], found)


def _of_others(path: str, name: str, setup: Setup, found: Sequence[Row]) -> Iterator[str]:
    entry = setup.configurations[name]
    if {(row["system"], row["model"]) for row in found} - {(entry.system, entry.model)}:
        yield f"{path}: holds rows that are none of {name}"


def _check_answers(benchmark: str, name: str, setup: Setup, k: int | None, files: Files, audit: Audit) -> Iterator[str]:
    path = CROSSEVAL.path.format(benchmark=benchmark, system=name)
    replays_path = CROSSEVAL_HISTORIES.path.format(benchmark=benchmark, system=name)
    questions_path = CROSSEVAL_QUESTIONS.path.format(benchmark=benchmark)
    asked = files.rows(CROSSEVAL_QUESTIONS, questions_path)
    only, entry = setup.benchmarks[benchmark].only.get(name), setup.configurations[name]
    questions = {
        _answer_key({**row, "system": entry.system, "model": entry.model}): row
        for row in asked
        if only is None or row["history"] in only
    }
    found = files.rows(CROSSEVAL, path)
    audit.checked["answers"] += len(found)
    made = {_answer_key(row): row for row in found}
    yield from _other_keys(path, questions, made)
    known = [row for key, row in made.items() if key in questions]
    again = [answers.judged_again(row, question_from_row(questions[_answer_key(row)])) for row in known]
    source = f"its recalled texts and {questions_path}"
    yield from compare_rows(path, CROSSEVAL, again, known, source)
    yield from check_rows(path, found, CROSSEVAL, k)
    operations = files.rows(CROSSEVAL_OPERATIONS, CROSSEVAL_OPERATIONS.path.format(benchmark=benchmark))
    steps = [row for row in operations if only is None or row["history"] in only]
    by_row = [row for row in known if questions[_answer_key(row)]["criterion"] == "rows"]
    yield from shortened(path, _beyond_history(path, by_row, steps), "answers that no run comes to")
    replays = files.rows(CROSSEVAL_HISTORIES, replays_path)
    yield from _of_others(replays_path, name, setup, replays)
    yield from check_replays(replays_path, CROSSEVAL_HISTORIES, steps, replays)


def _beyond_history(path: str, answered: Sequence[Row], operations: Sequence[Row]) -> Iterator[str]:
    """One line for each answer with ids of memories that its history has not, or not so often."""
    ids = {history.name: answers.RowIds(history) for history in histories_from_rows(operations, [])}
    none = answers.RowIds(History("", ()))
    for row in answered:
        if beyond := ids.get(row["history"], none).beyond(row["recalled"]):
            where = f"{path}: {_named([_answer_key(row)]):.200}"
            yield f"{where}: recalled: {_named(beyond)}; its history has no such memory, or not so often"


def _other_keys(path: str, wanted: Mapping[Any, Row], found: Mapping[Any, Row]) -> Iterator[str]:
    missing, more = _named(wanted.keys() - found.keys()), _named(found.keys() - wanted.keys())
    if missing:
        yield f"{path}: lacks {missing}"
    if more:
        yield f"{path}: holds what was not asked: {more}"


def _named(keys: Collection[Any]) -> str:
    shown = sorted(key if isinstance(key, str) else " ".join(filter(None, key)) for key in keys)
    return ", ".join(shown[:3]) + (f" and {len(shown) - 3} more" if len(shown) > 3 else "")


def _answer_key(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in CROSSEVAL.key)
