"""What became of each fact: leak, collateral and stale rates, beside the passes that the paper counts.

A fact is there if its anchor was recalled, by the question or where the fact itself is asked for (`TRIALS.present`).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.cases.states import FactState
from forgeteval.run.facts import MEASURES, counts
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.frames import cluster_rates, frame

_SYSTEM = ("suite", "system", "model")
_OPERATION = {"replaced": "supersede", "released": "release", "purged": "purge"}


def state_rows(cases: Sequence[Case], trials: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.FACT_STATES`, of the trials whose question was reached and whose case has states."""
    by_id = {case.case_id: case for case in cases if case.states is not None}
    found = [
        {**{name: trial[name] for name in (*_SYSTEM, "case_id")}, **counted}
        for trial in trials
        if trial["case_id"] in by_id and counts(trial["verdict"], trial["present"])
        for counted in _counted(by_id[trial["case_id"]], trial["present"])
    ]
    by = (*_SYSTEM, "cut", "value", "measure")
    return cluster_rates(frame(found, *by, "case_id", "counted", "facts"), by, "case_id", "trials")


def _counted(case: Case, present: Sequence[bool]) -> Iterator[dict[str, Any]]:
    """How many facts of a case each rate counts, of how many, by part of the suite; none that is of no fact."""
    for cut, value, states in _parts(case, present):
        for measure, (counted, there) in MEASURES.items():
            found = [present is there for state, present in states if state.state in counted]
            if found:
                yield {"cut": cut, "value": value, "measure": measure, "counted": sum(found), "facts": len(found)}


_Present = list[tuple[FactState, bool]]


def _parts(case: Case, present: Sequence[bool]) -> Iterator[tuple[str, str, _Present]]:
    """The (cut, value) pairs that the facts of a case are counted under, with these facts.

    What had to stay is counted under an operation where the case has no other.
    """
    states = list(zip(case.states or (), present, strict=True))
    yield "overall", ALL, states
    yield "category", case.category, states
    operations = sorted({mutation.op for mutation in case.mutations})
    for operation in operations:
        own = [
            (state, there)
            for state, there in states
            if _OPERATION.get(state.state, operation if len(operations) == 1 else None) == operation
        ]
        yield "operation", operation, own
