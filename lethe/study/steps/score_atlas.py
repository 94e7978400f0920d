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
    TRIALS,
    Table,
)
from lethe.stored.cases import suite_from_rows
from lethe.study import erasure, paths
from lethe.study.scores import score_suite
from lethe.study.setup import Setup
from lethe.study.states import state_rows
from lethe.study.step import Names, Rows, Step, Work
from lethe.study.verdicts import verdict_rows


def _compute(cases: Rows, trials: Rows, records: Rows, scorer: str) -> Mapping[str, Rows]:
    by_suite, told = defaultdict(list), defaultdict(list)
    for row in cases:
        told[row["suite"]].append(row)
    for row in trials:
        by_suite[row["suite"]].append(row)
    scores, facts = list[Row](), list[Row]()
    for name, own in by_suite.items():
        suite = suite_from_rows(told[name])
        verdicts = [row for row in verdict_rows(suite, own) if row["scorer"] == scorer]
        scores += _overall(score_suite(suite, own, verdicts, ""), ATLAS_SCORES)
        facts += _overall(state_rows(suite, own), ATLAS_FACTS)
    counted = Counter(tuple(row[column] for column in ATLAS_ERASURE.key) for row in erasure.verdict_rows(records))
    left = [{**dict(zip(ATLAS_ERASURE.key, key, strict=True)), "cases": count} for key, count in counted.items()]
    return {"scores": scores, "facts": facts, "erasure": left}


def _overall(rows: Rows, table: Table) -> Rows:
    names = [column.name for column in table.columns]
    return [{name: row[name] for name in names} for row in rows if (row["cut"], row["value"]) == ("overall", ALL)]


def _work(setup: Setup) -> Work:
    suites = [path for suite in setup.atlas_suites() for path in paths.cases(suite)]
    return Work(
        {"cases": suites, "trials": [paths.ATLAS_TRIALS], "records": [paths.ATLAS_RECORDS]}, {"scorer": setup.scorer}
    )


def _over(setup: Setup) -> Iterable[Names]:
    return [{}] if setup.atlas else []


STEP = Step(
    {"cases": CASES, "trials": TRIALS, "records": ERASURE_RECORDS},
    {"scores": ATLAS_SCORES, "facts": ATLAS_FACTS, "erasure": ATLAS_ERASURE},
    _compute,
    _work,
    _over,
)
