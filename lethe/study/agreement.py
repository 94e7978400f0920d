"""How annotators agree with one another and with judge models (paper, section "Multi-annotator agreement").

The kappas are those of statsmodels; here labels are counted, cases resampled, and what a measure is
not defined on is left out.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forgeteval.cases.case import in_known_order
from lethe.parquet import Row
from lethe.people.annotation.sheets import LABELS
from lethe.schemas import ALL, MAJORITY

Counts = NDArray[np.int64]
"""Annotators by case and label: shape (cases, labels)."""

WELL_FORMED, ILL_FORMED = LABELS
_VERDICTS = {"admit": WELL_FORMED, "reject": ILL_FORMED}
_TAIL = 2.5


def label_counts(annotations: Iterable[Row]) -> dict[str, dict[str, int]]:
    """Case id to how many annotators gave each label."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(LABELS, 0))
    for row in annotations:
        counts[row["case_id"]][row["label"]] += 1
    return dict(counts)


def fleiss_kappa(counts: Counts) -> float:
    """Fleiss' kappa (Fleiss 1971); NaN where all labels are one, or there is one annotator."""
    # Slow to import; only this stage needs it.
    from statsmodels.stats.inter_rater import fleiss_kappa as measure

    if counts.sum(axis=1).max(initial=0) < 2 or np.count_nonzero(counts.sum(axis=0)) < 2:
        return math.nan
    return float(measure(counts, method="fleiss"))


def krippendorff_alpha(counts: Counts) -> float:
    """Krippendorff's alpha for nominal labels; NaN where all labels are one, or there is one annotator."""
    annotators = counts.sum(axis=1)
    if annotators.max(initial=0) < 2 or np.count_nonzero(counts.sum(axis=0)) < 2:
        return math.nan
    labels = np.eye(counts.shape[1])
    pairs = counts[:, :, np.newaxis] * counts[:, np.newaxis, :] - counts[:, np.newaxis, :] * labels
    # A case that one annotator labelled has no pair.
    found = (pairs / (np.maximum(annotators, 2) - 1)[:, np.newaxis, np.newaxis]).sum(axis=0)
    pairable = found.sum(axis=0)
    by_chance = (np.outer(pairable, pairable) - np.diagflat(pairable)) / (pairable.sum() - 1)
    differ = 1 - labels
    return float(1 - (found * differ).sum() / (by_chance * differ).sum())


def observed_agreement(counts: Counts) -> float:
    """The mean share of pairs of annotators who give a case the same label; NaN where there is one annotator."""
    annotators = counts.sum(axis=1)
    if annotators.max(initial=0) < 2:
        return math.nan
    return float(np.mean((counts * (counts - 1)).sum(axis=1) / (annotators * (annotators - 1))))


MEASURES: Mapping[str, Callable[[Counts], float]] = {
    "fleiss_kappa": fleiss_kappa,
    "krippendorff_alpha": krippendorff_alpha,
    "observed_agreement": observed_agreement,
}


def agreement_rows(annotations: Sequence[Row], resamples: int, seed: int) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.AGREEMENT`: each measure over all cases and by category, with a bootstrap interval.

    Every annotator has labelled every case. Resamples on which a measure is not defined are left out.
    """
    category = {row["case_id"]: row["category"] for row in annotations}
    counts = label_counts(annotations)
    annotators = len({row["annotator"] for row in annotations})
    parts = {ALL: list(counts)} if counts else {}
    for name in in_known_order(category[case] for case in counts):
        # A category that is called as all of them together has no row of its own.
        parts.setdefault(name, [case for case in counts if category[case] == name])
    rows = []
    for part, cases in parts.items():
        table = np.array([[counts[case][label] for label in LABELS] for case in cases], dtype=np.int64)
        draws = np.random.default_rng(seed).integers(len(cases), size=(resamples, len(cases)))
        for name, measure in MEASURES.items():
            defined = [value for draw in draws if not math.isnan(value := measure(table[draw]))]
            value = measure(table)
            known = not math.isnan(value)
            low, high = np.percentile(defined, [_TAIL, 100 - _TAIL]) if defined and known else (None, None)
            rows.append(
                {
                    "part": part,
                    "measure": name,
                    "value": value if known else None,
                    "low": None if low is None else float(low),
                    "high": None if high is None else float(high),
                    "cases": len(cases),
                    "annotators": annotators,
                    "resamples": len(defined),
                }
            )
    return rows


def majority_labels(annotations: Iterable[Row]) -> dict[str, str | None]:
    """Case id to the label that most annotators gave; None for a tie."""
    labels: dict[str, str | None] = {}
    for case, count in label_counts(annotations).items():
        well, ill = count[WELL_FORMED], count[ILL_FORMED]
        labels[case] = None if well == ill else WELL_FORMED if well > ill else ILL_FORMED
    return labels


def rater_rows(annotations: Sequence[Row], judgements: Sequence[Row], sample: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.RATER_PAIRS`: the judges and, if there are annotations, their majority, each with each.

    Args:
        judgements: rows of `lethe.schemas.JUDGEMENTS`; those of cases outside the sample do not count.
        sample: rows of `lethe.schemas.ANNOTATION_SAMPLE`.
    """
    labels = judge_labels(judgements, sample)
    majority = {case: label for case, label in majority_labels(annotations).items() if label is not None}
    if majority:
        labels[MAJORITY] = majority
    return [_pair(first, second, labels[first], labels[second]) for first, second in product(labels, repeat=2)]


def judge_labels(judgements: Iterable[Row], sample: Iterable[Row]) -> dict[str, dict[str, str]]:
    """Judge to its label of each sampled case that it gave a verdict on."""
    sampled = {row["case_id"] for row in sample}
    labels: dict[str, dict[str, str]] = {}
    for row in judgements:
        of_judge = labels.setdefault(row["judge"], {})
        if row["case_id"] in sampled and row["verdict"] in _VERDICTS:
            of_judge[row["case_id"]] = _VERDICTS[row["verdict"]]
    return labels


def majority_case_rows(
    annotations: Sequence[Row], judgements: Sequence[Row], sample: Sequence[Row]
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.MAJORITY_CASES`: each judge on each annotated case."""
    counts, majority = label_counts(annotations), majority_labels(annotations)
    return [
        {
            "judge": judge,
            **{name: row[name] for name in ("case_id", "category", "provenance")},
            "verdict": labels.get(row["case_id"]),
            "majority": majority[row["case_id"]],
            "well_formed": counts[row["case_id"]][WELL_FORMED],
            "annotators": sum(counts[row["case_id"]].values()),
        }
        for judge, labels in judge_labels(judgements, sample).items()
        for row in sample
        if row["case_id"] in counts
    ]


@dataclass(frozen=True, slots=True)
class Mode:
    """One way in which a judge differs from the annotators' majority.

    Attributes:
        unanimous: those of the cases on which all annotators agree; None where there is no majority or no verdict.
        categories: number of cases by category, most frequent first.
    """

    name: str
    cases: int
    unanimous: int | None
    categories: Mapping[str, int]


def disagreement_modes(cases: Sequence[Row]) -> list[Mode]:
    """The modes of one judge: the two that have a majority always, the others where they occur; none without cases.

    Args:
        cases: rows of `lethe.schemas.MAJORITY_CASES` of the judge.
    """
    if not cases:
        return []
    modes = []
    for verdict, majority in ((ILL_FORMED, WELL_FORMED), (WELL_FORMED, ILL_FORMED)):
        found = [row for row in cases if (row["verdict"], row["majority"]) == (verdict, majority)]
        unanimous = sum(row["well_formed"] in (0, row["annotators"]) for row in found)
        modes.append(_mode(f"judge {verdict}, humans {majority}", found, unanimous))
    for name, column in (("no majority", "majority"), ("no verdict", "verdict")):
        found = [row for row in cases if row[column] is None]
        modes += [_mode(name, found, None)] if found else []
    return modes


def _mode(name: str, cases: Sequence[Row], unanimous: int | None) -> Mode:
    return Mode(name, len(cases), unanimous, dict(Counter(row["category"] for row in cases).most_common()))


def _pair(first: str, second: str, of_first: Mapping[str, str], of_second: Mapping[str, str]) -> dict[str, Any]:
    both = sorted(of_first.keys() & of_second.keys())
    table = np.zeros((2, 2), dtype=np.int64)
    for case in both:
        table[LABELS.index(of_first[case]), LABELS.index(of_second[case])] += 1
    return {
        "first": first,
        "second": second,
        "cases": len(both),
        "equal": int(np.trace(table)),
        "well_formed": int(table[0].sum()),
        "kappa": cohen_kappa(table),
    }


def cohen_kappa(table: Counts) -> float | None:
    """Cohen's kappa; None where chance alone agrees on everything."""
    from statsmodels.stats.inter_rater import cohens_kappa

    total = table.sum()
    if total == 0 or (table.sum(axis=0) * table.sum(axis=1)).sum() == total**2:
        return None
    return float(cohens_kappa(table, return_results=False))
