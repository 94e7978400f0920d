"""Each configuration on the cases that have a twin, on the twins, and on both of a pair."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from forgeteval.cases.case import Case
from lethe.parquet import Row
from lethe.schemas import ALL, CASES, TWINS, VERDICTS
from lethe.stored.cases import suite_from_rows
from lethe.study import paths
from lethe.study.frames import frame, rows_of, with_interval
from lethe.study.setup import Setup
from lethe.study.step import Names, Rows, Step, Work

_RUN = ("system", "model", "repetition")
_COUNTED = ("pairs", "case_passed", "twin_passed", "both_passed", "na", "errors")


def twin_rows(
    twins: Sequence[Case], twin_verdicts: Iterable[Row], case_verdicts: Iterable[Row], scorer: str
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.TWINS`, of the configurations that ran on both suites."""
    by_id = {twin.case_id: twin for twin in twins}
    asked = [{**row, "twin_of": by_id[row["case_id"]].twin_of} for row in twin_verdicts if row["scorer"] == scorer]
    own = frame((row for row in case_verdicts if row["scorer"] == scorer), *_RUN, "case_id", "verdict")
    pairs = frame(asked, *_RUN, "case_id", "twin_of", "verdict").merge(
        own, left_on=[*_RUN, "twin_of"], right_on=[*_RUN, "case_id"], suffixes=("", "_of_case")
    )
    pairs["operation"] = [(ALL, by_id[case_id].mutations[0].op) for case_id in pairs["case_id"]]
    both = pairs[["verdict_of_case", "verdict"]]
    pairs = pairs.assign(
        suite=twins[0].suite,
        pairs=1,
        case_passed=pairs["verdict_of_case"] == "pass",
        twin_passed=pairs["verdict"] == "pass",
        both_passed=(both == "pass").all(axis=1),
        na=(both == "na").any(axis=1),
        errors=(both == "error").any(axis=1),
    ).explode("operation")
    counts = pairs.groupby(["suite", "system", "model", "operation"], sort=False)[list(_COUNTED)].sum().reset_index()
    return rows_of(with_interval(counts, "both_passed", "pairs"), TWINS)


def _compute(twins: Rows, twin_verdicts: Rows, case_verdicts: Rows, scorer: str) -> Mapping[str, Rows]:
    return {"pairs": twin_rows(suite_from_rows(twins), twin_verdicts, case_verdicts, scorer)}


def _work(setup: Setup, suite: str) -> Work:
    inputs = {
        "twins": paths.cases(suite),
        "twin_verdicts": paths.verdicts(suite),
        "case_verdicts": paths.verdicts(setup.suites[suite].twins_of),
    }
    return Work(inputs, {"scorer": setup.scorer})


def _over(setup: Setup) -> Iterable[Names]:
    return ({"suite": suite} for suite in setup.twins())


STEP = Step(
    {"twins": CASES, "twin_verdicts": VERDICTS, "case_verdicts": VERDICTS}, {"pairs": TWINS}, _compute, _work, _over
)
