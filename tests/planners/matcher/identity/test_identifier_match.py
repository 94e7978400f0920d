"""Which memories hold an identifier, as the probes and generated identifiers write it."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lethe.planners.matcher.planner import Matcher
from tests.planners.matcher.probes.identity_probes import IDENTITY
from tests.support.identifier_surfaces import TYPES
from tests.support.matcher_probes import positions, probes, solved_or_known

MATCHER = Matcher()
SEEDS = st.integers(0, 2**32)
NOTATIONS = [(probe["request"], probe["meant"], probe["others"]) for probe in probes("notation_probes.jsonl")]
"""Requests by identifiers of many notations, with memories that mean the same and look-alikes."""


@pytest.mark.parametrize(
    ("request_", "meant", "others"),
    [pytest.param(*probe, marks=solved_or_known(probe[0])) for probe in [*IDENTITY, *NOTATIONS]],
)
def test_an_identifier_is_found_however_it_is_written(request_: str, meant: list[str], others: list[str]) -> None:
    assert positions(MATCHER.purge_match(request_, [*meant, *others])) == set(range(len(meant)))


@pytest.mark.parametrize("kind", TYPES)
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS)
def test_two_ways_to_write_one_identifier_match(kind: str, seed: int) -> None:
    chance = random.Random(seed)
    make, write = TYPES[kind]
    identifier = make(chance)
    memory = f"Noted: {write(identifier, chance)} was seen twice"
    assert positions(MATCHER.purge_match(f"the {kind} {identifier}", [memory])) == {0}, (identifier, memory)


@pytest.mark.parametrize("kind", TYPES)
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS)
def test_two_different_identifiers_do_not_match(kind: str, seed: int) -> None:
    chance = random.Random(seed)
    make, write = TYPES[kind]
    one, other = make(chance), make(chance)
    memory = f"Noted: {write(other, chance)} was seen twice"
    assert one == other or not positions(MATCHER.purge_match(f"the {kind} {one}", [memory])), (one, memory)
