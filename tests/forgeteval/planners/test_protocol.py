"""What a decision may say, and the ten-line planner of the protocol's documentation in front of a store."""

import doctest
from typing import Any

import pytest

from forgeteval.errors import UserError
from forgeteval.planners import protocol
from forgeteval.planners.protocol import CANDIDATES, Meant, Planner, Shown, Unsure, shown_to
from forgeteval.stores.hook import HookedAdapter
from lethe.systems.naive_sql import NaiveSqlAdapter
from tests.support.scripted_planner import FixedPlanner, UncallablePlanner

MEMORIES = ["Ines has locker 12", "Locker 21 is free", "Locker 120 is red"]


@pytest.fixture
def words() -> Planner:
    """The planner of the module's docstring, whose examples are run."""
    (example,) = doctest.DocTestFinder(recurse=False).find(protocol, globs=dict(vars(protocol)))
    assert doctest.DocTestRunner().run(example, clear_globs=False).failed == 0
    planner: Planner = example.globs["Words"]()
    return planner


def hooked(planner: Planner) -> HookedAdapter:
    adapter = HookedAdapter(NaiveSqlAdapter(), planner)
    adapter.reset()
    adapter.inscribe(MEMORIES)
    return adapter


def stored(adapter: HookedAdapter) -> set[str]:
    return set(adapter.recall_texts("locker", 10))


def test_the_documented_planner_decides_all_three_operations(words: Planner) -> None:
    adapter = hooked(words)
    adapter.purge("locker 21")
    assert stored(adapter) == {MEMORIES[0], MEMORIES[2]}
    adapter.supersede("Ines has locker", "Ines has locker 7")
    assert stored(adapter) == {"Ines has locker 7", MEMORIES[2]}
    adapter.release("locker 120")
    assert stored(adapter) == {"Ines has locker 7"}
    assert adapter.decisions == [
        "purge: 1 of 3 memories (holds 'locker 21')",
        "supersede: memory 1 of 2 (holds 'Ines has locker')",
        "supersede: replace",
        "release: 1 of 2 memories (holds 'locker 120')",
    ]


@pytest.mark.parametrize(
    "named",
    [
        {"whole": (1, 1)},
        {"whole": (1,), "parts": ((1, "x"),)},
        {"parts": ((1, "x"), (1, "y"))},
        {"whole": (1,), "duplicates": (1,)},
        {"duplicates": (2, 2)},
    ],
)
def test_no_memory_is_meant_twice(named: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="a memory is meant twice"):
        Meant(**named)


@pytest.mark.parametrize("mask", [(True,), (False, True), [True, False, False]])
def test_a_mask_is_no_list_of_positions(mask: Any) -> None:
    with pytest.raises(TypeError, match="True and False are no positions"):
        Meant(mask)


def test_the_reason_of_no_decision_is_a_text() -> None:
    with pytest.raises(TypeError, match="the reason of an Unsure is a text, not None"):
        Unsure(None)  # type: ignore[arg-type]


def test_a_fact_is_restated_in_a_part_alone() -> None:
    with pytest.raises(ValueError, match="in no part"):
        Meant((1,), restated=True)


def test_positions_of_a_decision() -> None:
    decision = Meant((2, 0), ((3, "x"),), duplicates=(1,))
    assert (decision.superseded, decision.named) == ((2, 0, 3), (2, 0, 3, 1))


def test_a_planner_is_shown_twenty_memories_unless_it_says_otherwise() -> None:
    assert shown_to(UncallablePlanner()) == Shown(CANDIDATES, 0, 20)
    assert shown_to(FixedPlanner(is_shown=Shown(3))) == Shown(3, 0, 20)


@pytest.mark.parametrize("said", [5, None, (1, 0, 1), Shown(0), Shown(new_fact=-1), Shown(forget=True), Shown("20")])  # type: ignore[arg-type]
def test_a_planner_that_is_shown_what_is_no_number_is_named(said: Any) -> None:
    with pytest.raises(UserError, match=r"^hook: FixedPlanner.is_shown is .*; give a Shown of whole numbers, "):
        shown_to(FixedPlanner(is_shown=said))
