"""How many cases Lethe with the matcher passes where one kind of evidence is left out."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from forgeteval.cases.case import Case
from lethe.parquet import Row
from lethe.schemas import ABLATION, ALL
from lethe.study.frames import frame, pass_counts, rows_of


def ablation_rows(cases: Sequence[Case], runs: Mapping[str, Iterable[Row]]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.ABLATION`: passes of each run by category and over all cases.

    Args:
        runs: rows of `lethe.schemas.TRIALS` by the kind of evidence left out, `none` among them.
    """
    category = {case.case_id: case.category for case in cases}
    found = [
        {"left_out": left_out, "category": part, "verdict": trial["verdict"]}
        for left_out, trials in runs.items()
        for trial in trials
        for part in (category[trial["case_id"]], ALL)
    ]
    counts = pass_counts(frame(found, "left_out", "category", "verdict"), ("left_out", "category"))
    return rows_of(counts, ABLATION)
