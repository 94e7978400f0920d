"""Where the scorers disagree: which trials pass under one and fail under another, and how many of each category."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from forgeteval.cases.case import Case, in_known_order
from lethe.parquet import Row
from lethe.schemas import ALL, SCORERS


def disagreements(cases: Sequence[Case], verdicts: Iterable[Row], controls: frozenset[str]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.SCORER_AUDIT`: each evaluated trial of a measured system, with all its verdicts."""
    categories = {case.case_id: case.category for case in cases}
    trials: dict[tuple[str, str, str, int, str], dict[str, str]] = defaultdict(dict)
    for row in verdicts:
        if row["system"] not in controls and row["verdict"] in ("pass", "fail"):
            key = row["suite"], row["system"], row["model"], row["repetition"], row["case_id"]
            trials[key][row["scorer"]] = row["verdict"]
    names = ("suite", "system", "model", "repetition", "case_id")
    return [
        {
            **dict(zip(names, key, strict=True)),
            "category": categories[key[-1]],
            **{scorer: found[scorer] for scorer in SCORERS},
            "agree": len(set(found.values())) == 1,
        }
        for key, found in trials.items()
    ]


@dataclass(frozen=True, slots=True)
class ScorerCounts:
    """A category's trials, those that passed under each scorer, and those on which each but the first differs from
    the first."""

    category: str
    trials: int
    passed: Sequence[int]
    differs: Sequence[int]


def scorer_counts(trials: Sequence[Row]) -> list[ScorerCounts]:
    """Counts of rows of `lethe.schemas.SCORER_AUDIT` for each category present, and for all of them last."""
    present = in_known_order(trial["category"] for trial in trials)
    parts = [(name, [trial for trial in trials if trial["category"] == name]) for name in present]
    return [
        ScorerCounts(
            name,
            len(own),
            [sum(trial[scorer] == "pass" for trial in own) for scorer in SCORERS],
            [sum(trial[scorer] != trial[SCORERS[0]] for trial in own) for scorer in SCORERS[1:]],
        )
        for name, own in (*parts, (ALL, trials))
    ]
