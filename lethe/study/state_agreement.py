"""Agreement on end states: annotators with each other, and each with what the cases say."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from forgeteval.cases.case import Case
from lethe.people.annotation.state_sheets import written_states

Sheet = Mapping[tuple[str, int], str]
AGREEING = 2
"""How many annotators have to write the same states for a case to be kept (of three; two of two)."""


@dataclass(frozen=True, slots=True)
class StateAgreement:
    """How far annotators agree.

    Attributes:
        pairs: of two annotators, the facts on which they agree, and all that both have.
        with_cases: of each annotator, the facts on which he agrees with the case, and all.
        disagreed: (case, number of the fact from 0) to what each annotator wrote that the case does not say.
        kept: cases on whose states, all of them, enough annotators agree.
    """

    pairs: Mapping[tuple[str, str], tuple[int, int]]
    with_cases: Mapping[str, tuple[int, int]]
    disagreed: Mapping[tuple[str, int], Mapping[str, str]]
    kept: Sequence[str]


def state_agreement(sheets: Mapping[str, Sheet], cases: Mapping[str, Case]) -> StateAgreement:
    """The agreement of filled-in sheets, by the annotators' names."""
    right = {
        (case_id, number): states
        for case_id in {case_id for sheet in sheets.values() for case_id, _ in sheet}
        for number, states in enumerate(written_states(cases[case_id]))
    }
    pairs = {}
    for first, second in combinations(sheets, 2):
        both = sheets[first].keys() & sheets[second].keys()
        pairs[first, second] = sum(sheets[first][place] == sheets[second][place] for place in both), len(both)
    disagreed: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
    for name, sheet in sheets.items():
        for place, state in sheet.items():
            if state not in right[place]:
                disagreed[place][name] = state
    with_cases = {
        name: (sum(state in right[place] for place, state in sheet.items()), len(sheet))
        for name, sheet in sheets.items()
    }
    return StateAgreement(pairs, with_cases, dict(disagreed), _kept(sheets))


def _kept(sheets: Mapping[str, Sheet]) -> list[str]:
    """The cases that at least `AGREEING` annotators read alike, fact by fact."""
    readings: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for sheet in sheets.values():
        by_case: dict[str, dict[int, str]] = defaultdict(dict)
        for (case_id, number), state in sheet.items():
            by_case[case_id][number] = state
        for case_id, states in by_case.items():
            readings[case_id][tuple(states[number] for number in sorted(states))] += 1
    return sorted(case_id for case_id, found in readings.items() if max(found.values()) >= AGREEING)
