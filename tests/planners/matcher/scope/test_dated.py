"""Which memory a time means. No embedder: words alone decide."""

from typing import Any

import pytest

from lethe.planners.matcher.planner import Matcher
from lethe.planners.protocol import Choice, Matches
from tests.support.matcher_probes import probes

MATCHER = Matcher()


@pytest.mark.parametrize("probe", probes("time_probes.jsonl"))
def test_the_memory_of_the_time_that_is_asked_for(probe: dict[str, Any]) -> None:
    memories, request = probe["memories"], probe["request"]
    if probe["operation"] == "supersede":
        choice = MATCHER.choose(request, probe["fact"], memories)
        assert isinstance(choice, Choice)
        assert [choice.index] == probe["meant"]
        return
    decide = MATCHER.purge_match if probe["operation"] == "purge" else MATCHER.release_match
    matches = decide(request, memories)
    assert isinstance(matches, Matches)
    assert list(matches.indices) == probe["meant"]


def test_a_request_with_a_date_means_the_memories_of_that_date() -> None:
    memories = [
        "2025-02-11 deploy api ok",
        "2025-02-12 deploy api failed",
        "2025-02-12 deploy web ok",
        "the wiki is up",
    ]
    decision = MATCHER.purge_match("the api deploy of 12 February", memories)
    assert isinstance(decision, Matches)
    assert decision.indices == (1,)
