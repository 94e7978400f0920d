"""The states of a case: their written form, Parquet, and what a run is asked for them."""

from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.history import Anchor
from forgeteval.cases.interchange import CaseError, case_from_json
from forgeteval.cases.states import FactState
from forgeteval.cases.suites import build_suite
from lethe.stored.cases import read_suite, write_suite
from tests.support.paths import ROOT

RECORD: dict[str, Any] = {
    "id": "mixed",
    "category": "compound_fact",
    "setup_facts": ["The van is red and parks in bay 4.", "Oil is changed in May."],
    "mutations": [["supersede", "the van's colour", "The van is blue."], ["purge", "oil"]],
    "final_query": "What about the van?",
    "must_contain": ["blue", "bay 4"],
    "must_not_contain": ["red"],
    "forbidden_identifiers": ["May"],
    "gold_rows": ["The van is blue and parks in bay 4."],
    "states": [{"replaced": ["red"], "stays": ["bay 4", "bay four"]}, {"purged": ["May"]}, {"stays": ["blue"]}],
}


def test_states_are_written_as_they_are_read(tmp_path: Path) -> None:
    case = case_from_json(RECORD, "mine", "here")
    assert case.states == (
        FactState(0, "replaced", ("red",)),
        FactState(0, "stays", ("bay 4", "bay four")),
        FactState(1, "purged", ("May",)),
        FactState(2, "stays", ("blue",)),
    )
    assert case.to_json()["states"] == RECORD["states"]
    write_suite(tmp_path / "cases.parquet", [case], "test")
    assert read_suite(tmp_path / "cases.parquet") == [case]


def test_each_fact_is_asked_for_by_its_own_text() -> None:
    (question,) = case_from_json(RECORD, "mine", "here").to_history().questions
    assert question.anchors == (
        Anchor("The van is red and parks in bay 4.", ("red",)),
        Anchor("The van is red and parks in bay 4.", ("bay 4", "bay four")),
        Anchor("Oil is changed in May.", ("May",)),
        Anchor("The van is blue.", ("blue",)),
    )


@pytest.mark.parametrize(
    ("states", "problem"),
    [
        ({"stays": ["x"]}, "states: must be a list with one object per fact, not dict"),
        (["stays"], "states[0]: must be an object"),
        ([{}], "states: fact 1 has no state"),
        ([{"kept": ["x"]}], "states: fact 1: unknown state 'kept'; known: stays, replaced, released, purged, either"),
        ([{"stays": []}], "states[0].stays: needs at least 1 entry"),
        ([{"stays": "x"}], "states[0].stays: must be a list of strings"),
    ],
)
def test_a_malformed_state_is_named(states: object, problem: str) -> None:
    with pytest.raises(CaseError) as error:
        case_from_json({**RECORD, "states": states}, "mine", "file:3")
    assert str(error.value).startswith(f"file:3: {problem}")


@pytest.mark.parametrize("suite", ["adversarial", "held_out"])
def test_every_written_case_has_a_state_for_each_fact(suite: str) -> None:
    for case in build_suite(suite, {"folder": str(ROOT / "suites" / suite)}):
        assert {state.fact for state in case.states or ()} == set(range(len(case.facts()))), case.case_id
