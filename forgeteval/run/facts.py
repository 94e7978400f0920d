"""What became of each fact of a case: leak, collateral and stale, beside the passes that the paper counts.

A fact is there if its anchor was recalled, by the question or where the fact itself is asked for.
"""

from collections.abc import Mapping, Sequence

from forgeteval.cases.case import Case
from forgeteval.cases.states import FactState, State

MEASURES: Mapping[str, tuple[tuple[State, ...], bool]] = {
    "leak": (("released", "purged"), True),
    "collateral": (("stays",), False),
    "stale": (("replaced",), True),
}
"""Each rate: the states of the facts that it counts, and whether it counts those that are there, or those that are not.
"""


def counts(verdict: str, present: Sequence[bool]) -> bool:
    """Whether the facts of a trial count: those whose question was reached, of a case with states."""
    return bool(present) and verdict in ("pass", "fail")


def wrong(case: Case, verdict: str, present: Sequence[bool]) -> dict[str, list[FactState]]:
    """The facts that each rate counts against a trial; none where they do not count."""
    if case.states is None or not counts(verdict, present):
        return {measure: [] for measure in MEASURES}
    states = list(zip(case.states, present, strict=True))
    return {
        measure: [state for state, found in states if state.state in counted and found is there]
        for measure, (counted, there) in MEASURES.items()
    }


def clusters(cases: Sequence[tuple[Case, str, Sequence[bool]]]) -> dict[str, list[tuple[int, int]]]:
    """For each rate, (facts that count against the store, facts) of each trial that has any.

    Args:
        cases: of each trial its case, its verdict and which anchors were there.
    """
    found: dict[str, list[tuple[int, int]]] = {measure: [] for measure in MEASURES}
    for case, verdict, present in cases:
        against = wrong(case, verdict, present)
        for measure, (counted, _) in MEASURES.items():
            facts = sum(state.state in counted for state in case.states or ())
            if facts and counts(verdict, present):
                found[measure].append((len(against[measure]), facts))
    return found
