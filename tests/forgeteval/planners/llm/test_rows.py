"""The contract `rows`: what the model is shown, what it may answer, and what becomes of the store."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from forgeteval.planners.chat import ChatOptions
from forgeteval.planners.llm.contracts import rows_contract, strict
from forgeteval.planners.llm.planner import NO_USABLE_ANSWER, LlmPlanner
from forgeteval.planners.llm.reading import UnusableAnswer
from forgeteval.planners.llm.rows import RowsPlanner, hook_planner, read_rows
from forgeteval.planners.protocol import Meant, Shown, Unsure
from forgeteval.stores.hook import HookedAdapter
from forgeteval.stores.policies import ComposedAdapter
from tests.support.scripted_planner import Answers, ListBackend, candidates

POLICIES = {"supersede": "best_match", "release": "largest_gap", "purge": "equal_text"}
NONE = '{"whole": [], "in_part": []}'
THREE = candidates("zero", "one", "two")


def part(index: int, stays: str) -> dict[str, Any]:
    return {"index": index, "stays": stays}


def hooked(*answers: str, texts: tuple[str, ...], shown: int = 20) -> tuple[HookedAdapter, Answers, ListBackend]:
    asked, backend = Answers(list(answers)), ListBackend()
    store = HookedAdapter(ComposedAdapter(backend, POLICIES), RowsPlanner(asked, shown))  # type: ignore[arg-type]
    store.inscribe(texts)
    return store, asked, backend


def shown_in(prompt: str) -> list[str]:
    block = json.loads(prompt.rpartition("```json\n")[2].removesuffix("\n```"))
    return [row["text"] for row in block["candidates"]]


ANSWERS: list[tuple[dict[str, Any], bool]] = [
    ({"whole": [], "in_part": []}, True),
    ({"whole": [2, 0], "in_part": [part(1, "rest")]}, True),
    ({"whole": [3], "in_part": []}, False),
    ({"whole": [-1], "in_part": []}, False),
    ({"whole": [True], "in_part": []}, False),
    ({"whole": [0], "in_part": [part(3, "x")]}, False),
    ({"whole": [0], "in_part": [part(1, "")]}, False),
    ({"whole": [0], "in_part": [{"index": 1}]}, False),
    ({"whole": [0], "in_part": [{"index": 1, "stays": "x", "goes": "y"}]}, False),
    ({"whole": [0], "in_part": {"index": 1, "stays": "x"}}, False),
    ({"whole": [0]}, False),
    ({"whole": [0], "in_part": [], "reason": "x"}, False),
]


@pytest.mark.parametrize(("answer", "usable"), ANSWERS, ids=[json.dumps(answer) for answer, _ in ANSWERS])
def test_an_answer_is_read_by_its_contract(answer: dict[str, Any], usable: bool) -> None:
    for contract in (rows_contract(3), strict(rows_contract(3))):
        Draft202012Validator.check_schema(contract)
    assert Draft202012Validator(rows_contract(3)).is_valid(answer) is usable
    try:
        read_rows(answer, 3)
    except UnusableAnswer:
        assert not usable
    else:
        assert usable and Draft202012Validator(strict(rows_contract(3))).is_valid(answer)


@pytest.mark.parametrize("answer", [{"whole": [1, 1], "in_part": []}, {"whole": [1], "in_part": [part(1, "x")]}])
def test_a_row_that_is_named_twice_is_refused(answer: dict[str, Any]) -> None:
    with pytest.raises(UnusableAnswer, match="twice"):
        read_rows(answer, 3)


def test_a_supersession_shows_the_best_by_the_query_and_those_by_the_new_fact() -> None:
    texts = ("the red key", "a blue boat", "the boat sails", "a dog")
    store, asked, _ = hooked(NONE, texts=texts, shown=1)
    store.supersede("red key", "a blue boat sinks")
    assert shown_in(asked.asked[0][1]) == ["the red key", "a blue boat"]
    assert asked.purposes == ["rows_supersede"]
    store, asked, _ = hooked(NONE, texts=texts)
    store.supersede("red key", "a blue boat sinks")
    assert sorted(shown_in(asked.asked[0][1])) == sorted(texts)


def test_the_new_fact_is_stored_once_and_what_stays_of_a_row_takes_its_place() -> None:
    answer = json.dumps({"whole": [1], "in_part": [part(0, "Ana has a dog")]})
    store, _, backend = hooked(answer, texts=("Ana has key 3 and a dog", "key 3 is Ana's", "Ben has a cat"))
    store.supersede("Ana has key 3", "Ana has key 4")
    assert sorted(backend.memories.values()) == ["Ana has a dog", "Ana has key 4", "Ben has a cat"]


def test_to_name_none_is_a_decision() -> None:
    texts = ("key 3", "key 4")
    store, _, backend = hooked(NONE, NONE, NONE, texts=texts)
    store.release("key 3")
    store.purge("key 3")
    store.supersede("key 3", "key 5")
    assert sorted(backend.memories.values()) == [*texts, "key 5"] and store.fallbacks == 0


@pytest.mark.parametrize("operation", ["release", "purge"])
def test_a_release_and_a_purge_may_take_a_part(operation: str) -> None:
    store, asked, backend = hooked(json.dumps({"whole": [], "in_part": [part(0, "a dog")]}), texts=("key 3 and a dog",))
    getattr(store, operation)("key 3")
    assert (list(backend.memories.values()), asked.purposes) == (["a dog"], [f"rows_{operation}"])


def test_an_unusable_answer_is_asked_for_once_more() -> None:
    answers = Answers(["no", NONE])
    assert RowsPlanner(answers).purge("x", THREE) == Meant()
    assert answers.purposes == ["rows_purge", "rows_purge_repair"]
    assert RowsPlanner(Answers(["no", "no"])).purge("x", THREE) == Unsure(NO_USABLE_ANSWER)


def test_the_contract_of_the_options_chooses_the_planner() -> None:
    rows = hook_planner(ChatOptions("m", 0.0, 16), Answers([]))
    assert isinstance(rows, RowsPlanner) and rows.is_shown == Shown(20, 20, 20)
    few = hook_planner(ChatOptions("m", 0.0, 16, candidates=5), Answers([]))
    assert isinstance(few, RowsPlanner) and few.is_shown == Shown(5, 5, 5)
    paper = hook_planner(ChatOptions("m", 0.0, 16, contract="paper"), Answers(['{"matching_indices": []}']))
    assert isinstance(paper, LlmPlanner) and isinstance(paper.purge("x", THREE), Unsure)
