"""Which memories a purge or release means, as wide as it asks. No embedder: words alone decide."""

import pytest

from lethe.planners.matcher.planner import Matcher
from tests.planners.matcher.probes.phrasings import (
    ENTITIES,
    ENTITY_REQUESTS,
    PERSON_MEANT,
    PERSON_MEMORIES,
    PERSON_REQUESTS,
)
from tests.planners.matcher.probes.scope_probes import SCOPE
from tests.planners.matcher.probes.script_probes import SCRIPTS
from tests.support.matcher_probes import positions, probes, solved_or_known

MATCHER = Matcher()
THINGS = [
    (probe["operation"], probe["request"], probe["meant"], probe["others"])
    for name in ("width_probes.jsonl", "identifier_probes.jsonl", "thing_probes.jsonl")
    for probe in probes(name)
]
"""Requests for one memory or all on an entity, identifiers, short names, words, things, states and times."""


@pytest.mark.parametrize(
    ("operation", "request_", "meant", "others"),
    [pytest.param(*probe, marks=solved_or_known(probe[1])) for probe in [*SCOPE, *SCRIPTS, *THINGS]],
)
def test_a_request_is_as_wide_as_it_says(operation: str, request_: str, meant: list[str], others: list[str]) -> None:
    decide = MATCHER.purge_match if operation == "purge" else MATCHER.release_match
    assert positions(decide(request_, [*meant, *others])) == set(range(len(meant)))


@pytest.mark.parametrize("request_", PERSON_REQUESTS)
def test_everything_on_a_person_in_any_phrasing(request_: str) -> None:
    for decide in (MATCHER.release_match, MATCHER.purge_match):
        assert positions(decide(request_, PERSON_MEMORIES)) == PERSON_MEANT


@pytest.mark.parametrize("phrasing", ENTITY_REQUESTS)
@pytest.mark.parametrize(("name", "memories", "meant"), ENTITIES)
def test_everything_on_an_entity_in_any_phrasing(
    name: str, memories: list[str], meant: set[int], phrasing: str
) -> None:
    for decide in (MATCHER.release_match, MATCHER.purge_match):
        assert positions(decide(phrasing.format(name), memories)) == meant
