"""The tables about the matcher: developed on against held out, and each kind of evidence left out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lethe.cases.case import CATEGORIES, Case
from lethe.tables.cells import PaperTable

Trials = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class SuiteRuns:
    """A suite's name in tables, its cases, and the trials of each row that ran on it."""

    label: str
    cases: Sequence[Case]
    trials: Mapping[str, Trials]


def held_out_table(developed_on: SuiteRuns, held_out: SuiteRuns | None, labels: Mapping[str, str]) -> PaperTable:
    """Passes by category on the cases the rules were developed on and on those that were held out.

    Args:
        held_out: None where that suite is not run.
        labels: rows in the order of the columns, with their names; empty where the rules did not run.
    """
    parts = [developed_on] if held_out is None else [developed_on, held_out]
    header = ["Category", *(f"{label}, {part.label.lower()}" for label in labels.values() for part in parts)]

    def line(name: str, wanted: Sequence[str]) -> list[str]:
        ids = [{case.case_id for case in part.cases if case.category in wanted} for part in parts]
        return [name, *(_share(part.trials[row], ids[at]) for row in labels for at, part in enumerate(parts))]

    categories = [c for c in CATEGORIES if any(case.category == c for part in parts for case in part.cases)]
    sections = [[line(category, [category]) for category in categories], [line("Overall", categories)]]
    notes = [] if labels else ["The matcher: not run: left out by run.systems."]
    if held_out is None:
        notes.append("The held-out cases: not run: left out by run.suites.")
    return PaperTable(
        "matcher_held_out",
        f"The matcher, measured here, substring scorer: on the {developed_on.label.lower()} suite, which the rules "
        "were developed on, and on the held-out one, by authors who did not know the rules and unread by who wrote "
        "them. Cells: passed/cases (percent).",
        header if labels else ["Category", "Rules"],
        sections if labels else [[["all", "not run"]]],
        notes,
        wide=True,
    )


def ablation_table(cases: Sequence[Case], ablations: Mapping[str, Trials], suite: str) -> PaperTable:
    """Passes by category with all kinds of evidence and with each one left out.

    Args:
        ablations: trials by the family that was left out, `none` first; empty where the rules did not run.
    """

    def line(name: str, wanted: Iterable[str]) -> list[str]:
        ids = set(wanted)
        return [name, *(_share(trials, ids) for trials in ablations.values())]

    return PaperTable(
        "matcher_ablation",
        f"Lethe with the matcher on the {suite.lower()} suite, measured here, substring scorer: all families of "
        "rules, and each one left out. Cells: passed/cases (percent).",
        ["Category", *("all rules" if family == "none" else f"without {family}" for family in ablations)]
        if ablations
        else ["Category", "Rules"],
        _by_category(cases, line) if ablations else [[["all", "not run"]]],
        [] if ablations else ["The matcher: not run: left out by run.systems."],
        wide=True,
    )


def _by_category(cases: Sequence[Case], line: Callable[[str, Iterable[str]], list[str]]) -> list[list[list[str]]]:
    """Two sections: a line for each category, and one for all cases."""
    by_category = {c: [case.case_id for case in cases if case.category == c] for c in CATEGORIES}
    categories = [line(category, ids) for category, ids in by_category.items() if ids]
    return [categories, [line("Overall", (case.case_id for case in cases))]]


def _share(trials: Trials, ids: set[str]) -> str:
    counted = [trial for trial in trials if trial["case_id"] in ids]
    if not counted:
        return "–"
    passed = sum(trial["verdict"] == "pass" for trial in counted)
    return f"{passed}/{len(counted)} ({100 * passed / len(counted):.0f})"
