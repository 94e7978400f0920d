"""What became of each fact: leak, collateral and stale rates, beside the passes that the paper counts.

A fact is there if its anchor was recalled, by the question or where the fact itself is asked for (`TRIALS.present`).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.cases.states import FactState, State
from forgeteval.scoring.intervals import rate_of_clusters
from lethe.parquet import Row
from lethe.schemas import ALL

MEASURES: Mapping[str, tuple[tuple[State, ...], bool]] = {
    "leak": (("released", "purged"), True),
    "collateral": (("stays",), False),
    "stale": (("replaced",), True),
}
"""Each rate: the states of the facts that it counts, and whether it counts those that are there, or those that are not.
"""
_OPERATION = {"replaced": "supersede", "released": "release", "purged": "purge"}


def state_rows(cases: Sequence[Case], trials: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.FACT_STATES`, of the trials whose question was reached and whose case has states."""
    by_id = {case.case_id: case for case in cases if case.states is not None}
    clusters: dict[tuple[str, str, str, str, str, str], list[tuple[int, int]]] = defaultdict(list)
    for trial in trials:
        case = by_id.get(trial["case_id"])
        if case is None or not _counts(trial):
            continue
        for cut, value, states in _parts(case, trial["present"]):
            for measure, (counted, there) in MEASURES.items():
                found = [present is there for state, present in states if state.state in counted]
                if found:
                    key = trial["suite"], trial["system"], trial["model"], cut, value, measure
                    clusters[key].append((sum(found), len(found)))
    return [_row(*key, counts) for key, counts in clusters.items()]


def _counts(trial: Row) -> bool:
    return bool(trial["present"]) and trial["verdict"] in ("pass", "fail")


def wrong_facts(case: Case, trial: Row) -> dict[str, list[FactState]]:
    """The facts that each rate counts against a trial; none where its question was not reached, or without states."""
    if case.states is None or not _counts(trial):
        return {measure: [] for measure in MEASURES}
    states = list(zip(case.states, trial["present"], strict=True))
    return {
        measure: [state for state, present in states if state.state in counted and present is there]
        for measure, (counted, there) in MEASURES.items()
    }


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


def _row(
    suite: str, system: str, model: str, cut: str, value: str, measure: str, clusters: Sequence[tuple[int, int]]
) -> dict[str, Any]:
    key = {"suite": suite, "system": system, "model": model, "cut": cut, "value": value, "measure": measure}
    return {**key, "trials": len(clusters), **rate_of_clusters(clusters)}
