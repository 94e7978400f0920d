"""What stays of a memory of several statements. No embedder: words alone decide."""

from typing import Any

import pytest

from lethe.planners.matcher.planner import Matcher
from lethe.planners.protocol import Edit, Replace
from tests.planners.matcher.probes.clause_probes import CLAUSES
from tests.planners.matcher.probes.syntax_probes import SYNTAX
from tests.support.matcher_probes import probes, solved_or_known

MATCHER = Matcher()


@pytest.mark.parametrize(
    ("memory", "query", "new_fact", "stays", "goes"),
    [pytest.param(*probe, marks=solved_or_known(probe[1])) for probe in CLAUSES],
)
def test_one_statement_of_a_memory_is_replaced(memory: str, query: str, new_fact: str, stays: str, goes: str) -> None:
    decision = MATCHER.supersede(memory, query, new_fact)
    if not stays:
        assert isinstance(decision, Replace)
        return
    assert isinstance(decision, Edit)
    assert decision.text.startswith(new_fact)
    assert stays.lower() in decision.text.lower()
    assert not goes or goes.lower() not in decision.text.lower()
    assert decision.text.endswith(".")


@pytest.mark.parametrize(
    ("memory", "query", "new_fact", "stays", "goes"),
    [pytest.param(*probe, marks=solved_or_known(f"{probe[0]} {probe[1]}")) for probe in SYNTAX],
)
def test_the_rest_of_a_sentence_stays(memory: str, query: str, new_fact: str, stays: str, goes: str) -> None:
    decision = MATCHER.supersede(memory, query, new_fact)
    assert isinstance(decision, Edit)
    assert decision.text.startswith(new_fact)
    assert stays.lower() in decision.text.lower()
    assert goes.lower() not in decision.text.lower()


@pytest.mark.parametrize(
    "probe",
    [
        pytest.param(probe, marks=solved_or_known(f"{probe['memory']} {probe['query']}"))
        for probe in probes("kept_probes.jsonl")
    ],
)
def test_what_is_not_outdated_stays(probe: dict[str, Any]) -> None:
    decision = MATCHER.supersede(probe["memory"], probe["query"], probe["fact"])
    if isinstance(decision, Replace):
        assert probe["stays"] == []
        return
    assert isinstance(decision, Edit)
    assert decision.text.startswith(probe["fact"])
    text = decision.text.lower()
    assert [said for said in probe["stays"] if said.lower() not in text] == []
    assert [said for said in probe["goes"] if said.lower() in text] == []
