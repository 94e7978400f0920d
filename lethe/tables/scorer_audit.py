"""The scorer audit: how often the scorers disagree, by category, and the list of such trials."""

from collections.abc import Mapping, Sequence
from typing import Any

from lethe.cases.case import CATEGORIES
from lethe.schemas import SCORERS
from lethe.tables.cells import PaperTable


def scorer_audit_table(trials: Sequence[Mapping[str, Any]], label: str) -> PaperTable:
    """Passes under each scorer and disagreements with the substring scorer (paper, appendix "Scorer audit").

    Args:
        trials: rows of `lethe.schemas.SCORER_AUDIT`.
    """
    present = {trial["category"] for trial in trials}
    rows = [
        _row(category, [trial for trial in trials if trial["category"] == category])
        for category in CATEGORIES
        if category in present
    ]
    return PaperTable(
        "scorer_audit",
        f"Scorers on the {label.lower()} suite, measured here: evaluated trials of all systems that passed under each "
        "scorer, and trials on which probed (each forbidden string is also asked for) or identifier (strings match "
        "whole identifiers only) differs from substring (the paper's). scorer_audit_cases.csv lists the trials.",
        ("Category", "trials", *SCORERS, "probed differs", "identifier differs"),
        [rows, [_row("all", trials)]],
        wide=True,
    )


def scorer_audit_cases(trials: Sequence[Mapping[str, Any]]) -> PaperTable:
    """Each trial on which the scorers do not agree."""
    columns = ("category", "case_id", "system", *SCORERS)
    rows = [[str(trial[column]) for column in columns] for trial in trials if not trial["agree"]]
    return PaperTable("scorer_audit_cases", "Trials on which the scorers disagree.", columns, [sorted(rows)])


def _row(label: str, trials: Sequence[Mapping[str, Any]]) -> list[str]:
    passed = [sum(trial[scorer] == "pass" for trial in trials) for scorer in SCORERS]
    differs = [sum(trial[scorer] != trial["substring"] for trial in trials) for scorer in SCORERS[1:]]
    return [label, *map(str, [len(trials), *passed, *differs])]
