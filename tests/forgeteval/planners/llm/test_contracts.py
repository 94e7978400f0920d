"""The contracts as JSON Schema: what they allow is what the planner reads, apart from what a schema cannot say."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from forgeteval.planners.chat import ChatOptions, Contract
from forgeteval.planners.llm.client import chat_body
from forgeteval.planners.llm.contracts import matches_contract, strict, supersede_contract
from forgeteval.planners.llm.planner import LlmPlanner, read_matches, read_supersede
from forgeteval.planners.llm.reading import UnusableAnswer
from lethe.people.judging import CONTRACT as JUDGED
from tests.support.scripted_planner import Answers, candidates

CANDIDATES = 3
SUPERSEDE: list[Any] = [
    {"mode": "replace"},
    {"mode": "edit", "text": "merged"},
    {"mode": "edit", "text": ""},
    {"mode": "edit"},
    {"mode": "replace", "text": "x"},
    {"mode": "delete"},
    {"mode": "edit", "text": 3},
    {},
]
MATCHES: list[Any] = [
    {"matching_indices": []},
    {"matching_indices": [0, 2]},
    {"matching_indices": [2, 1, 0]},
    {"matching_indices": [3]},
    {"matching_indices": [-1]},
    {"matching_indices": [1, 1]},
    {"matching_indices": ["1"]},
    {"matching_indices": [True]},
    {"matching_indices": 1},
    {"matching_indices": [0], "reason": "x"},
    {},
]


REFUSED = {"anyOf", "uniqueItems", "minLength", "minimum", "maximum", "maxItems", "const", "oneOf"}
"""Keywords that a strict endpoint refuses somewhere."""


def valid(contract: Contract, answer: Any) -> bool:
    return bool(Draft202012Validator(contract).is_valid(answer))


@pytest.mark.parametrize("contract", [supersede_contract(), matches_contract(CANDIDATES)])
def test_a_contract_is_a_json_schema(contract: Contract) -> None:
    Draft202012Validator.check_schema(contract)


@pytest.mark.parametrize("answer", SUPERSEDE, ids=json.dumps)
def test_supersede_is_read_by_its_contract(answer: Any) -> None:
    try:
        read_supersede(answer)
    except UnusableAnswer:
        assert not valid(supersede_contract(), answer)
    else:
        assert valid(supersede_contract(), answer)


@pytest.mark.parametrize("answer", MATCHES, ids=json.dumps)
def test_matches_are_read_by_their_contract(answer: Any) -> None:
    try:
        read_matches(answer, CANDIDATES)
    except UnusableAnswer:
        assert not valid(matches_contract(CANDIDATES), answer)
    else:
        assert valid(matches_contract(CANDIDATES), answer)


def test_a_contract_knows_how_many_candidates_there_are() -> None:
    assert not valid(matches_contract(1), {"matching_indices": [1]})
    assert valid(matches_contract(20), {"matching_indices": list(range(20))})
    assert matches_contract(2) != matches_contract(3)


def test_each_question_and_its_repair_go_with_their_contract() -> None:
    answers = Answers(["what?", '{"matching_indices": [1]}', '{"mode": "replace"}'])
    planner = LlmPlanner(answers)
    planner.purge("target", candidates("a", "b"))
    planner.supersede("query", "new fact", candidates("memory"))
    assert answers.contracts == [matches_contract(2), matches_contract(2), supersede_contract()]


@pytest.mark.parametrize("contract", [supersede_contract(), matches_contract(CANDIDATES), JUDGED])
def test_a_strict_schema_holds_nothing_that_strict_endpoints_refuse(contract: Contract) -> None:
    schema = strict(contract)
    Draft202012Validator.check_schema(schema)
    for part in objects_of(schema):
        assert not part.keys() & REFUSED
        if part.get("type") == "object":
            assert part["required"] == list(part["properties"]) and part["additionalProperties"] is False


def objects_of(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from objects_of(value)


def test_what_a_strict_schema_allows_is_read() -> None:
    for answer in ({"mode": "replace", "text": None}, {"mode": "edit", "text": "merged"}):
        assert valid(strict(supersede_contract()), answer)
        read_supersede(answer)
    assert not valid(strict(matches_contract(CANDIDATES)), {"matching_indices": [3]})
    body = chat_body(ChatOptions("m", 0.0, 16, "strict"), "prompt", supersede_contract())
    assert body["response_format"]["json_schema"]["schema"] == strict(supersede_contract())
