"""What the recorded systems of the atlas did: passes, what became of each fact, what was left of what they erased."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from lethe.parquet import Row
from lethe.schemas import (
    ALL,
    ATLAS_ERASURE,
    ATLAS_FACTS,
    ATLAS_SCORES,
    CASES,
    ERASURE_RECORDS,
    LONG_ANSWERS,
    LONG_EVENTS,
    TRIALS,
    Table,
)
from lethe.stored.cases import cases_as_told, suite_from_rows, suite_of_trials
from lethe.study import erasure, paths
from lethe.study.long import long_rows
from lethe.study.scores import score_suite
from lethe.study.setup import Setup
from lethe.study.states import state_rows
from lethe.study.step import Names, Rows, Step, Work
from lethe.study.verdicts import verdict_rows

LOST, LONG = "lost", "long"
"""The measure of what was told and does not come back before any mutation; what stands for a suite's name."""


def _compute(cases: Rows, trials: Rows, events: Rows, answers: Rows, records: Rows, scorer: str) -> Mapping[str, Rows]:
    by_suite, told = defaultdict(list), defaultdict(list)
    for row in cases:
        told[row["suite"]].append(row)
    for row in trials:
        by_suite[row["suite"]].append(row)
    scores, facts = list[Row](), list[Row]()
    for name, own in by_suite.items():
        of = suite_of_trials(name)
        suite = suite_from_rows(told[of])
        if name != of:
            lost = _overall(state_rows(cases_as_told(suite), own), ATLAS_FACTS)
            facts += [{**row, "suite": of, "measure": LOST} for row in lost]
            continue
        scores += _overall(score_suite(suite, own, verdict_rows(suite, own, [scorer]), ""), ATLAS_SCORES)
        facts += _overall(state_rows(suite, own), ATLAS_FACTS)
    facts += _overall([_as_facts(row) for row in long_rows(events, answers)], ATLAS_FACTS)
    judged = [*erasure.verdict_rows(records), *erasure.claim_rows(records)]
    counted = Counter(tuple(row[column] for column in ATLAS_ERASURE.key) for row in judged)
    left = [{**dict(zip(ATLAS_ERASURE.key, key, strict=True)), "cases": count} for key, count in counted.items()]
    return {"scores": scores, "facts": facts, "erasure": left}


def _as_facts(row: Row) -> dict[str, object]:
    return {**row, "suite": LONG, "trials": row["histories"]}


def _overall(rows: Rows, table: Table) -> Rows:
    names = [column.name for column in table.columns]
    return [{name: row[name] for name in names} for row in rows if (row["cut"], row["value"]) == ("overall", ALL)]


def _work(setup: Setup) -> Work:
    suites = [path for suite in setup.atlas_suites() for path in paths.cases(suite)]
    events = [LONG_EVENTS.path] if setup.long.configurations else []
    inputs = {
        "cases": suites,
        "trials": [paths.ATLAS_TRIALS],
        "events": events,
        "answers": [paths.ATLAS_LONG],
        "records": [paths.ATLAS_RECORDS],
    }
    return Work(inputs, {"scorer": setup.scorer})


def _over(setup: Setup) -> Iterable[Names]:
    return [{}] if setup.atlas else []


STEP = Step(
    {
        "cases": CASES,
        "trials": TRIALS,
        "events": LONG_EVENTS,
        "answers": LONG_ANSWERS,
        "records": ERASURE_RECORDS,
    },
    {"scores": ATLAS_SCORES, "facts": ATLAS_FACTS, "erasure": ATLAS_ERASURE},
    _compute,
    _work,
    _over,
)
