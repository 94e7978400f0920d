"""The released labels in the form that annotators' sheets and judges' verdicts have here."""

from collections.abc import Iterable, Sequence
from typing import Any

from lethe.parquet import Row
from lethe.study.agreement import ILL_FORMED, WELL_FORMED
from lethe.study.released.known import check_cases
from lethe.study.released.reading import JUDGES, LABELS_FILE


def as_sample(labels: Sequence[Row], cases: Iterable[Row]) -> list[dict[str, Any]]:
    """The labelled cases with category and provenance, as `lethe.schemas.ANNOTATION_SAMPLE` has them.

    Raises:
        UserError: where a label is of another case.
    """
    by_id = {case["case_id"]: case for case in cases}
    check_cases(LABELS_FILE, labels, by_id.values())
    return [{name: by_id[row["case_id"]][name] for name in ("case_id", "category", "provenance")} for row in labels]


def as_annotations(labels: Iterable[Row], sample: Iterable[Row]) -> list[dict[str, Any]]:
    """A label by each annotator, who are numbered case by case: no measure of agreement here asks who gave which.

    Args:
        labels: rows of `lethe.schemas.RELEASED_LABELS`.
        sample: see `as_sample`.
    """
    known = {row["case_id"]: row for row in sample}
    return [
        {**known[row["case_id"]], "annotator": f"annotator-{number}", "label": label}
        for row in labels
        for number, label in enumerate([WELL_FORMED] * row["well_formed"] + [ILL_FORMED] * row["ill_formed"], start=1)
    ]


def measured(judgements: Iterable[Row]) -> list[dict[str, Any]]:
    """Judgements made here, whose judges cannot be taken for the paper's, whatever config calls them."""
    return [{**row, "judge": measured_name(row["judge"])} for row in judgements]


def measured_name(judge: str) -> str:
    """A judge that was asked here, among the paper's raters."""
    return f"measured: {judge}"


def as_judgements(labels: Sequence[Row]) -> list[dict[str, Any]]:
    """The judges' labels as verdicts: admit where a judge found a case well-formed."""
    return [
        {"judge": judge, "case_id": row["case_id"], "verdict": "admit" if row[column] else "reject"}
        for judge, column in JUDGES.items()
        for row in labels
    ]
