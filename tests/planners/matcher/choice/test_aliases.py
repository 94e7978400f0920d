"""Memories that call what is asked for by another name. No embedder: words alone decide."""

import pytest

from lethe.planners.matcher.planner import Matcher
from lethe.planners.protocol import Choice
from tests.planners.matcher.probes.paraphrase_probes import CHOSEN

MATCHER = Matcher()


@pytest.mark.parametrize(("query", "new_fact", "memories", "meant"), CHOSEN)
def test_the_memory_is_found_by_what_its_name_stands_for(
    query: str, new_fact: str, memories: list[str], meant: int
) -> None:
    choice = MATCHER.choose(query, new_fact, memories)
    assert isinstance(choice, Choice)
    assert choice.index == meant
