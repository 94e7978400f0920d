"""What became of each fact: leak, collateral and stale rates, beside the passes that the paper counts.

A fact is there if its anchor was recalled, by the question or where the fact itself is asked for (`TRIALS.present`).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.cases.states import FactState
from forgeteval.run.facts import MEASURES, counts
from forgeteval.scoring.intervals import rate_of_clusters
from lethe.parquet import Row
from lethe.schemas import ALL

_OPERATION = {"replaced": "supersede", "released": "release", "purged": "purge"}


def state_rows(cases: Sequence[Case], trials: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.FACT_STATES`, of the trials whose question was reached and whose case has states."""
    by_id = {case.case_id: case for case in cases if case.states is not None}
    clusters: dict[tuple[str, str, str, str, str, str], list[tuple[int, int]]] = defaultdict(list)
    for trial in trials:
        case = by_id.get(trial["case_id"])
        if case is None or not counts(trial["verdict"], trial["present"]):
            continue
        for cut, value, states in _parts(case, trial["present"]):
            for measure, (counted, there) in MEASURES.items():
                found = [present is there for state, present in states if state.state in counted]
                if found:
                    key = trial["suite"], trial["system"], trial["model"], cut, value, measure
                    clusters[key].append((sum(found), len(found)))
    return [_row(*key, counts) for key, counts in clusters.items()]


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
