"""For generated identifiers of every type: two ways to write one match, two different ones do not."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lethe.planners.matcher import Matcher
from lethe.planners.protocol import Matches
from tests.planners.matcher.surfaces import TYPES

PLANNER = Matcher()
SEEDS = st.integers(0, 2**32)


def matched(request: str, row: str) -> bool:
    decision = PLANNER.purge_match(request, [row])
    return isinstance(decision, Matches) and decision.indices == (0,)


@pytest.mark.parametrize("kind", TYPES)
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS)
def test_two_ways_to_write_one_identifier_match(kind: str, seed: int) -> None:
    chance = random.Random(seed)
    make, write = TYPES[kind]
    identifier = make(chance)
    row = f"Noted: {write(identifier, chance)} was seen twice"
    assert matched(f"the {kind} {identifier}", row), (identifier, row)


@pytest.mark.parametrize("kind", TYPES)
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS)
def test_two_different_identifiers_do_not_match(kind: str, seed: int) -> None:
    chance = random.Random(seed)
    make, write = TYPES[kind]
    one, other = make(chance), make(chance)
    row = f"Noted: {write(other, chance)} was seen twice"
    assert one == other or not matched(f"the {kind} {one}", row), (one, row)
