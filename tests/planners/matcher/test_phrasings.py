"""One request in many phrasings means the same rows."""

import pytest

from lethe.planners.matcher import Matcher
from lethe.planners.protocol import Matches
from tests.planners.matcher.phrasings import ENTITIES, ENTITY_REQUESTS, PERSON_MEANT, PERSON_REQUESTS, PERSON_ROWS

PLANNER = Matcher()


@pytest.mark.parametrize("request_", PERSON_REQUESTS)
def test_all_on_a_person_in_any_phrasing(request_: str) -> None:
    for decide in (PLANNER.release_match, PLANNER.purge_match):
        decision = decide(request_, PERSON_ROWS)
        assert isinstance(decision, Matches)
        assert set(decision.indices) == PERSON_MEANT


@pytest.mark.parametrize("phrasing", ENTITY_REQUESTS)
@pytest.mark.parametrize(("name", "rows", "meant"), ENTITIES)
def test_all_on_an_entity_in_any_phrasing(name: str, rows: list[str], meant: set[int], phrasing: str) -> None:
    for decide in (PLANNER.release_match, PLANNER.purge_match):
        decision = decide(phrasing.format(name), rows)
        assert isinstance(decision, Matches)
        assert set(decision.indices) == meant
