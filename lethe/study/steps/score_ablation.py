"""Passes of the matcher without each kind of evidence."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from forgeteval.cases.case import Case
from lethe.matcher import EVIDENCE_KINDS
from lethe.parquet import Row
from lethe.schemas import ABLATION, ALL, CASES, TRIALS
from lethe.stored.cases import suite_from_rows
from lethe.study import paths
from lethe.study.frames import frame, pass_counts, rows_of
from lethe.study.setup import Setup
from lethe.study.step import Names, Rows, Step, Work


def ablation_rows(cases: Sequence[Case], runs: Mapping[str, Iterable[Row]]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.ABLATION`: passes of each run by category and over all cases.

    Args:
        runs: rows of `lethe.schemas.TRIALS` by the kind of evidence left out, `none` among them.
    """
    category = {case.case_id: case.category for case in cases}
    found = [
        {"left_out": left_out, "category": part, "case_id": trial["case_id"], "verdict": trial["verdict"]}
        for left_out, trials in runs.items()
        for trial in trials
        for part in (category[trial["case_id"]], ALL)
    ]
    counts = pass_counts(frame(found, "left_out", "category", "case_id", "verdict"), ("left_out", "category"))
    return rows_of(counts, ABLATION)


LEFT_OUT = ("none", *EVIDENCE_KINDS)


def _compute(cases: Rows, **runs: Rows) -> Mapping[str, Rows]:
    return {"ablation": ablation_rows(suite_from_rows(cases), runs)}


def _work(setup: Setup) -> Work:
    runs = {kind: [paths.ABLATION_TRIALS.format(evidence=kind)] for kind in LEFT_OUT}
    return Work({"cases": paths.cases(setup.adversarial_suite), **runs})


def _over(setup: Setup) -> Iterable[Names]:
    return [{}] if setup.matcher_runs else []


STEP = Step({"cases": CASES, **dict.fromkeys(LEFT_OUT, TRIALS)}, {"ablation": ABLATION}, _compute, _work, _over)
