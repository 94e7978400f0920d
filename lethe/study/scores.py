"""From trials and verdicts to pass counts by system, scorer and part of the suite."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from forgeteval.cases.case import FIRST, SUBLABELS, Case
from lethe.parquet import Row
from lethe.schemas import ALL, SCORES, WITHOUT_COMPOUND
from lethe.study.frames import frame, pass_counts, rows_of

if TYPE_CHECKING:
    import pandas as pd

_TRIAL = ("system", "model", "repetition", "case_id")


def score_suite(
    cases: Sequence[Case], trials: Iterable[Row], verdicts: Iterable[Row], reference_system: str
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.SCORES` for one suite. A case counts as often as it was run.

    Args:
        reference_system: the system whose verdicts label a case as easy or hard (see `difficulty`).
    """
    known = list(verdicts)
    labels = difficulty(cases, known, reference_system)
    parts = frame([row for case in cases for row in _parts(case, labels)], "case_id", "cut", "value")
    found = frame(known, "suite", *_TRIAL, "scorer", "verdict")
    found = found.merge(_wrong(trials), on=list(_TRIAL)).merge(parts, on="case_id")
    scores = pass_counts(found, ("suite", "system", "model", "scorer", "cut", "value"), ("leaks", "collateral"))
    scores["evaluable_rate"] = scores["passed"] / (scores["passed"] + scores["failed"])
    return rows_of(scores, SCORES)


def difficulty(cases: Sequence[Case], verdicts: Iterable[Row], reference_system: str) -> dict[str, str]:
    """Label each case as the paper's post-hoc partition does (appendix "Post-hoc label partition").

    Cases of the provenances `FIRST` are `manual`; of the others, those the reference system passes are `easy` and those
    it fails `hard`. The labels restate the reference system's own verdicts: they serve to read other systems by. A case
    on which it came to no verdict, or did not run, has no label.
    """
    passed = {
        row["case_id"]: row["verdict"] == "pass"
        for row in verdicts
        if row["system"] == reference_system
        and row["scorer"] == "substring"
        and row["repetition"] == 0
        and row["verdict"] in ("pass", "fail")
    }
    labels = {case_id: "easy" if ok else "hard" for case_id, ok in passed.items()}
    return labels | {case.case_id: "manual" for case in cases if case.provenance in FIRST}


def _parts(case: Case, labels: Mapping[str, str]) -> list[dict[str, str]]:
    """The parts of the suite that a case belongs to."""
    parts = [("overall", ALL)]
    if case.category != "compound_fact":
        parts.append(("overall", WITHOUT_COMPOUND))
    parts += [("category", case.category), ("provenance", case.provenance)]
    if case.case_id in labels:
        parts.append(("difficulty", labels[case.case_id]))
    parts += [(name, value) for name in SUBLABELS if (value := getattr(case, name)) is not None]
    return [{"case_id": case.case_id, "cut": cut, "value": value} for cut, value in parts]


def _wrong(trials: Iterable[Row]) -> "pd.DataFrame":
    """Of each trial, whether a forbidden string came back, and whether a required one did not."""
    found = frame(trials, *_TRIAL, "leaked", "missing")
    return found.rename(columns={"leaked": "leaks", "missing": "collateral"})
