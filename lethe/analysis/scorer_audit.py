"""Where the scorers disagree: which trials pass under one and fail under another."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lethe.cases.case import Case
from lethe.schemas import SCORERS


def disagreements(
    cases: Sequence[Case], verdicts: Iterable[Mapping[str, Any]], controls: frozenset[str]
) -> list[dict[str, Any]]:
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
