"""States: what a perfect memory makes of each fact of a case, beside the strings that the paper scores."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

State = Literal["stays", "replaced", "released", "purged", "either"]
STATES: tuple[str, ...] = get_args(State)
GONE: tuple[str, ...] = ("replaced", "released", "purged")
"""States of what must not be recalled: the old value of a supersede, and what a release or purge took away."""


@dataclass(frozen=True, slots=True)
class FactState:
    """The state of a fact, or of a part of it: one that is edited has a state for what goes and one for what stays.

    Attributes:
        fact: number of the fact, from 0: the setup facts, then the new texts of the supersedes, in order.
        state: `stays`; `replaced`, `released` or `purged` by a mutation of that kind; `either` where a careful reader
            may keep it or not, so that it is counted nowhere.
        any_of: the anchor: wordings of which any one, as whole words, shows that it is there.
    """

    fact: int
    state: State
    any_of: tuple[str, ...]


def states_to_json(states: Sequence[FactState]) -> list[dict[str, list[str]]]:
    """One object per fact: its states, each with its anchor."""
    facts: list[dict[str, list[str]]] = [{} for _ in range(1 + max((state.fact for state in states), default=-1))]
    for state in states:
        facts[state.fact][state.state] = list(state.any_of)
    return facts


def states_from_json(facts: Iterable[dict[str, list[str]]]) -> tuple[FactState, ...]:
    """The states of what `states_to_json` gives.

    Raises:
        ValueError: for a state that is none, and a fact that has none.
    """
    states: list[FactState] = []
    for number, fact in enumerate(facts):
        if not fact:
            raise ValueError(f"fact {number + 1} has no state")
        for name, any_of in fact.items():
            state = next((known for known in get_args(State) if known == name), None)
            if state is None:
                raise ValueError(f"fact {number + 1}: unknown state {name!r}; known: {', '.join(STATES)}")
            states.append(FactState(number, state, tuple(any_of)))
    return tuple(states)
