"""Admission of states: anchors tell facts apart and agree with the gold memories."""

from dataclasses import replace

import pytest

from forgeteval.admission.states import state_rejections
from forgeteval.cases.case import Case
from forgeteval.cases.states import FactState
from tests.support.lockers import BYSTANDER, NEW, SUPERSEDED, TARGET

STATED = replace(
    SUPERSEDED,
    states=(
        FactState(0, "replaced", ("4417",)),
        FactState(1, "stays", ("9920",)),
        FactState(2, "stays", ("opens at six",)),
        FactState(3, "stays", ("two euros", "2 euros")),
        FactState(4, "stays", ("7755",)),
    ),
)


def reasons(case: Case) -> list[str]:
    return [rejection.reason for rejection in state_rejections(case)]


def with_state(number: int, *changed: FactState) -> Case:
    states = [state for state in STATED.states or () if state.fact != number]
    return replace(STATED, states=(*states, *changed))


def test_states_that_agree_with_the_gold_memories_are_admitted() -> None:
    assert STATED.facts() == [TARGET, BYSTANDER, "The gym opens at six.", "Towels cost two euros.", NEW]
    assert reasons(STATED) == []
    assert reasons(replace(STATED, states=None)) == []


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (with_state(4), "states-count"),
        (with_state(0, FactState(0, "replaced", ("4418",))), "anchor-not-in-fact"),
        (with_state(0, FactState(0, "replaced", ("441",))), "anchor-not-in-fact"),
        (with_state(0, FactState(0, "purged", ("4417", "7755"))), "anchor-of-gone-in-gold"),
        (
            with_state(1, FactState(1, "released", ("Bo's",)), FactState(1, "stays", ("9920",))),
            "anchor-of-gone-in-gold",
        ),
        (with_state(0, FactState(0, "stays", ("4417",))), "anchor-not-in-gold"),
        (with_state(1, FactState(1, "stays", ("locker code",))), "anchor-not-distinct"),
        (with_state(0, FactState(0, "purged", ("4417",))), "state-without-mutation"),
        (replace(STATED, forbidden_identifiers=("5512",)), "forbidden-never-said"),
        (replace(STATED, forbidden_identifiers=("9920",)), "self-trap"),
    ],
)
def test_a_state_that_does_not_is_rejected(case: Case, reason: str) -> None:
    assert reason in reasons(case)


def test_without_gold_a_state_is_compared_with_the_facts_alone() -> None:
    assert reasons(replace(STATED, gold_rows=None)) == []
    assert reasons(replace(with_state(0, FactState(0, "stays", ("4417",))), gold_rows=None)) == []
    assert reasons(replace(with_state(1, FactState(1, "stays", ("locker code",))), gold_rows=None)) == [
        "anchor-not-distinct"
    ]


def test_either_is_neither_required_nor_forbidden() -> None:
    assert reasons(with_state(0, FactState(0, "either", ("4417",)))) == []


def test_what_is_required_is_not_forbidden_as_a_whole() -> None:
    case = replace(SUPERSEDED, gold_rows=None, states=None, forbidden_identifiers=("9920",))
    assert "forbidden-in-required" in {rejection.reason for rejection in state_rejections(case)}


def test_a_part_of_a_longer_identifier_may_be_forbidden_as_a_whole() -> None:
    assert reasons(replace(STATED, forbidden_identifiers=("4417",))) == []


def test_without_gold_what_goes_is_not_in_what_stays_or_is_required() -> None:
    own = replace(STATED, gold_rows=None)
    assert reasons(own) == []
    for gone in (("Bo's",), ("5 euros", "two euros"), ("4417", own.must_contain[0])):
        states = (FactState(0, "replaced", ("4417", *gone)), *(own.states or ())[1:])
        assert reasons(replace(own, states=states)) == ["anchor-not-distinct"]
    edited = (FactState(0, "replaced", ("4417",)), FactState(0, "stays", ("code 4417",)), *(own.states or ())[1:])
    assert "anchor-not-distinct" in reasons(replace(own, states=edited))
