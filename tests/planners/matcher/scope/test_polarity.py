"""Memories that deny what a request affirms, or the other way round. No embedder: words alone decide."""

import pytest

from lethe.planners.matcher.planner import Matcher
from tests.planners.matcher.probes.paraphrase_probes import SIDES
from tests.support.matcher_probes import positions

MATCHER = Matcher()


@pytest.mark.parametrize(("request_", "meant", "others"), SIDES)
def test_a_release_means_the_memories_of_its_side(request_: str, meant: list[str], others: list[str]) -> None:
    memories = [*others, *meant]
    assert positions(MATCHER.release_match(request_, memories)) == set(range(len(others), len(memories)))
