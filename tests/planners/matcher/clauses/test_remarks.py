"""Remarks on what is outdated fall with it. No embedder: words alone decide."""

import pytest

from lethe.planners.matcher.planner import Matcher
from lethe.planners.protocol import Edit, Replace
from tests.planners.matcher.probes.paraphrase_probes import REMAINING, REMARKED

MATCHER = Matcher()


@pytest.mark.parametrize(("memory", "query", "new_fact"), REMARKED)
def test_a_remark_falls_with_its_statement(memory: str, query: str, new_fact: str) -> None:
    assert isinstance(MATCHER.supersede(memory, query, new_fact), Replace)


@pytest.mark.parametrize(("memory", "query", "new_fact", "stays"), REMAINING)
def test_what_is_no_remark_stays(memory: str, query: str, new_fact: str, stays: str) -> None:
    decision = MATCHER.supersede(memory, query, new_fact)
    assert isinstance(decision, Edit)
    assert stays.lower() in decision.text.lower()
