"""Passes on the parts of a suite that the reference system with and without a hook define.

Paper, appendix "Post-hoc label partition".
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from forgeteval.cases.case import Case
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import LABEL_PARTITION
from lethe.study.frames import frame, pass_counts, rows_of
from lethe.study.scores import difficulty

LABELS = ("manual", "easy", "llm_lift", "unsolvable", "hard", "unlabelled")
_SCORER = "substring"
"""The labels are defined by the paper's scorer, whatever the tables show."""


def partition_rows(
    cases: Sequence[Case],
    verdicts: Iterable[Row],
    reference_system: str,
    hooked: Sequence[str],
    controls: frozenset[str],
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.LABEL_PARTITION`, of repetition 0, without the controls.

    Core cases are manual. Of the others, easy ones are passed by the reference system; those that it fails are
    llm_lift where the configuration with a hook passes them and unsolvable where it fails them too, and hard where
    there is none with a hook. A case without a verdict that its label needs is unlabelled.

    Args:
        hooked: configurations of the reference system's backend with a hook that ran; each gives a partition.
    """
    known = [row for row in verdicts if row["scorer"] == _SCORER and row["repetition"] == 0]
    labels = difficulty(cases, known, reference_system)
    by_name: dict[str, dict[str, str]] = {}
    for row in known:
        if row["system"] not in controls:
            by_name.setdefault(configuration_name(row), {})[row["case_id"]] = row["verdict"]
    return [
        row
        for name in hooked or [""]
        for row in _partition(cases, by_name, _split(cases, labels, by_name.get(name)), name)
    ]


def total_of_labels(rows: Iterable[Row | None]) -> Row:
    """The counts of one configuration over all labels; None stands for a label without cases."""
    found = [row for row in rows if row is not None]
    return {name: sum(row[name] for row in found) for name in ("cases", "passed", "na")}


def _split(cases: Sequence[Case], labels: Mapping[str, str], hooked: Mapping[str, str] | None) -> dict[str, str]:
    """Case id to its label."""
    split = {}
    for case in cases:
        label = labels.get(case.case_id, "unlabelled")
        if label == "hard" and hooked is not None:
            label = {"pass": "llm_lift", "fail": "unsolvable"}.get(hooked[case.case_id], "unlabelled")
        split[case.case_id] = label
    return split


def _partition(
    cases: Sequence[Case], by_name: Mapping[str, Mapping[str, str]], split: Mapping[str, str], hooked: str
) -> list[dict[str, Any]]:
    found = [
        {"label": split[case.case_id], "configuration": name, "verdict": verdicts[case.case_id]}
        for label in LABELS
        for name, verdicts in by_name.items()
        for case in cases
        if split[case.case_id] == label
    ]
    counts = pass_counts(frame(found, "label", "configuration", "verdict"), ("label", "configuration"))
    return rows_of(counts.assign(suite=cases[0].suite, hooked=hooked), LABEL_PARTITION)
