"""The cases of the outside authors that no system passes, and how they fail (paper, "Failure-mode taxonomy")."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forgeteval.cases.case import in_known_order
from forgeteval.yaml_data import read_yaml_data
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.released.compare import Verdicts
from lethe.study.released.runs import Run

DATA_FILES = ("external_causes.yaml",)
_DECLARED = read_yaml_data(Path(__file__).with_name(DATA_FILES[0]))
PRINTED_SYSTEMS = [Run(system, model, scorer, release) for system, model, release, scorer in _DECLARED["systems"]]
"""The released runs that stand for the six systems of the paper's table."""
CAUSES: Mapping[str, str] = _DECLARED["causes"]
"""What the paper gives as the cause, by category."""


@dataclass(frozen=True, slots=True)
class Universal:
    """Cases of one category, or of all, that fail everywhere.

    Attributes:
        cases: how many cases there are.
        by_printed: how many fail in each of the six systems of the paper's table.
        with_measured: how many do with the runs here in place of the released ones of stores without a hook.
        by_released: how many fail in every released run.
        by_all: how many fail in every released run and in every configuration here.
        leaked, missing: of `by_printed`, in how many the reference recalls a forbidden string, or not what is required.
        stored: of these, in how many a mutation stores a forbidden string itself.
    """

    category: str
    cases: int
    by_printed: int
    with_measured: int
    by_released: int
    by_all: int
    leaked: int
    missing: int
    stored: int


def universal_failures(
    cases: Sequence[Row],
    released: Mapping[Run, Verdicts],
    measured: Mapping[str, Verdicts],
    reference: Iterable[Row],
) -> list[Universal]:
    """The counts of each category, and of all last.

    Args:
        cases: rows of `lethe.schemas.CASES` of the outside authors' suite.
        released: its published runs.
        measured: verdicts by configuration, the controls left out.
        reference: rows of `lethe.schemas.TRIALS` of the reference system.

    Raises:
        KeyError: where one of the paper's six systems was not released.
    """
    printed = {run.system: released[run] for run in PRINTED_SYSTEMS}
    failures = {
        "by_printed": _failed(cases, printed.values()),
        "with_measured": _failed(cases, [measured.get(name, own) for name, own in printed.items()]),
        "by_released": _failed(cases, released.values()),
        "by_all": _failed(cases, [*released.values(), *measured.values()]),
    }
    trials = {trial["case_id"]: trial for trial in reference if trial["repetition"] == 0}

    def counted(name: str, own: Sequence[Row]) -> Universal:
        names = {case["case_id"] for case in own}
        failed = [case for case in own if case["case_id"] in failures["by_printed"]]
        return Universal(
            name,
            len(own),
            **{kind: len(found & names) for kind, found in failures.items()},
            leaked=sum(bool(trials[case["case_id"]]["leaked"]) for case in failed),
            missing=sum(bool(trials[case["case_id"]]["missing"]) for case in failed),
            stored=sum(_stores_forbidden(case) for case in failed),
        )

    present = in_known_order(case["category"] for case in cases)
    by_category = [counted(name, [case for case in cases if case["category"] == name]) for name in present]
    return [*by_category, counted(ALL, cases)]


def _failed(cases: Iterable[Row], runs: Iterable[Verdicts]) -> set[str]:
    found = list(runs)
    return {case["case_id"] for case in cases if all(own.get(case["case_id"]) != "pass" for own in found)}


def _stores_forbidden(case: Row) -> bool:
    told = " ".join(mutation["text"] or "" for mutation in case["mutations"]).lower()
    return any(forbidden.lower() in told for forbidden in case["must_not_contain"])
