"""The tables about the rules hook: developed on against held out, and each family of rules left out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lethe.forgeteval.cases import CATEGORIES, Case
from lethe.forgeteval.held_out import is_held_out
from lethe.paper.cells import PaperTable

Trials = Sequence[Mapping[str, Any]]
_PARTS: dict[str, Callable[[str], bool]] = {
    "developed on": lambda case_id: not is_held_out(case_id),
    "held out": is_held_out,
}


def held_out_table(
    cases: Sequence[Case], runs: Mapping[str, Trials], labels: Mapping[str, str], suite: str
) -> PaperTable:
    """Passes by category on the cases the rules were developed on and on the third that was held out.

    Args:
        runs: trials of each row, the first one without the hook; empty where the rules did not run.
        labels: rows in the order of the columns, with their names.
    """
    header = ["Category", *(f"{label}, {part}" for label in labels.values() for part in _PARTS)]

    def line(name: str, wanted: Iterable[str]) -> list[str]:
        ids = set(wanted)
        found = [
            _share(runs[row], {case_id for case_id in ids if belongs(case_id)})
            for row in labels
            for belongs in _PARTS.values()
        ]
        return [name, *found]

    return PaperTable(
        "rules_held_out",
        f"The rules hook on the {suite.lower()} suite, measured here, substring scorer: the two thirds of the cases "
        "that the rules were developed on, and the third, chosen by a hash of the case's name, that they were not. "
        "Cells: passed/cases (percent).",
        header if labels else ["Category", "Rules"],
        _by_category(cases, line) if labels else [[["all", "not run"]]],
        [] if labels else ["The rules hook: not run: left out by run.systems."],
        wide=True,
    )


def ablation_table(cases: Sequence[Case], ablations: Mapping[str, Trials], suite: str) -> PaperTable:
    """Passes by category with all families of rules and with each one left out.

    Args:
        ablations: trials by the family that was left out, `none` first; empty where the rules did not run.
    """

    def line(name: str, wanted: Iterable[str]) -> list[str]:
        ids = set(wanted)
        return [name, *(_share(trials, ids) for trials in ablations.values())]

    return PaperTable(
        "rules_ablation",
        f"Lethe with the rules hook on the {suite.lower()} suite, measured here, substring scorer: all families of "
        "rules, and each one left out. Cells: passed/cases (percent).",
        ["Category", *("all rules" if family == "none" else f"without {family}" for family in ablations)]
        if ablations
        else ["Category", "Rules"],
        _by_category(cases, line) if ablations else [[["all", "not run"]]],
        [] if ablations else ["The rules hook: not run: left out by run.systems."],
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
