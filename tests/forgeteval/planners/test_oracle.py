"""The oracle of hooks: what it decides within each contract, and that nothing but a contract's limits stops it."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from forgeteval import evaluate
from forgeteval.cases.case import Case
from forgeteval.cases.library import load_suite
from forgeteval.errors import UserError
from forgeteval.planners.chat import Contract, HookContract
from forgeteval.planners.llm.planner import NONE_NAMED
from forgeteval.planners.oracle import OraclePlanner
from forgeteval.planners.protocol import Candidate, Decision, Meant, Unsure
from forgeteval.scoring.scorers import identifier_contains
from forgeteval.stores.contract import Hit
from tests.support.scripted_planner import ListBackend, candidates

OLD, NEW, OTHER = "Ana has key 3 and a dog.", "Ana has key 4.", "Ben has a cat."


def case(operation: str, state: str, *, stays: bool = True) -> Case:
    mutation = [operation, "Ana's key", NEW] if operation == "supersede" else [operation, "Ana's key"]
    states = [{state: ["key 3"], **({"stays": ["a dog"]} if stays else {})}, {"stays": ["a cat"]}]
    record = {
        "case_id": "keys",
        "setup_facts": [OLD, OTHER],
        "mutations": [mutation],
        "final_query": "Who has what?",
        "must_contain": ["a cat"],
        "must_not_contain": ["key 3"],
        "states": [*states, *([{"stays": ["key 4"]}] if operation == "supersede" else [])],
    }
    (found,) = load_suite([record])
    return found


def oracle(told: Case, contract: str = "rows") -> OraclePlanner:
    planner = OraclePlanner("paper" if contract == "paper" else "rows")
    planner.begin(told)
    return planner


SHOWN = candidates(OTHER, OLD)


@pytest.mark.parametrize(("operation", "state"), [("release", "released"), ("purge", "purged")])
def test_what_goes_is_named_whole_or_in_part(operation: str, state: str) -> None:
    for stays, decision in ((True, Meant(parts=((1, "Ana has and a dog."),))), (False, Meant((1,)))):
        assert getattr(oracle(case(operation, state, stays=stays)), operation)("x", SHOWN) == decision
    other = "purge" if operation == "release" else "release"
    assert getattr(oracle(case(operation, state)), other)("x", SHOWN) == Meant()


def test_by_the_paper_s_contract_a_part_cannot_be_released_and_none_is_no_decision() -> None:
    assert oracle(case("release", "released"), "paper").release("x", SHOWN) == Unsure(NONE_NAMED)
    assert oracle(case("release", "released", stays=False), "paper").release("x", SHOWN) == Meant((1,))


def test_by_the_paper_s_contract_a_supersession_knows_the_best_match_alone() -> None:
    told = case("supersede", "replaced")
    assert oracle(told).supersede("x", NEW, SHOWN) == Meant(parts=((1, "Ana has and a dog."),))
    wrong = Meant(parts=((0, f"{OTHER} {NEW}"),), restated=True)
    assert oracle(told, "paper").supersede("x", NEW, SHOWN) == wrong
    assert oracle(case("supersede", "replaced", stays=False), "paper").supersede("x", NEW, SHOWN[1:]) == Meant((0,))


def test_a_case_without_states_has_no_oracle() -> None:
    with pytest.raises(UserError, match="no states"):
        oracle(Case(**{**_fields(case("purge", "purged")), "states": None}))


def _fields(told: Case) -> dict[str, object]:
    return {name: getattr(told, name) for name in told.__dataclass_fields__}


class Words(ListBackend):
    """Finds by shared words, so that paraphrases are found last."""

    def search(self, query: str, k: int) -> list[Hit]:
        return super().search(query.replace(".", "").replace("?", ""), k)


class Watched(OraclePlanner):
    """Notes prompts whose answer breaks the contract, and cases in which the paper's contract limits what a model can
    do: the row that a supersession shows says nothing outdated, or to name none is not a decision."""

    def __init__(self, contract: HookContract) -> None:
        super().__init__(contract)
        self.asked, self.broken, self.limited = 0, list[str](), set[str]()

    def supersede(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> Decision:
        told = self._begun()
        outdated = [wording for one in told.states or () if one.state == "replaced" for wording in one.any_of]
        if not any(identifier_contains(memory.text, wording) for memory in candidates for wording in outdated):
            self.limited.add(told.case_id)
        return super().supersede(query, new_fact, candidates)

    def _answer(self, purpose: str, prompt: str, contract: Contract | None = None) -> str:
        answer = super()._answer(purpose, prompt, contract)
        self.asked += 1
        if "[]" in answer:
            self.limited.add(self._begun().case_id)
        assert contract is not None
        if purpose.endswith("_repair") or not Draft202012Validator(contract).is_valid(json.loads(answer)):
            self.broken.append(prompt)
        return answer


@pytest.mark.parametrize("suite", ["adversarial", "held_out"])
def test_what_the_oracle_passes_a_model_could_pass_from_the_prompts_alone(suite: str) -> None:
    for contract in ("paper", "rows"):
        planner = Watched("paper" if contract == "paper" else "rows")
        results = evaluate(Words, suite, hook=planner, controls=False)
        failed = {trial.case_id for trial in results.trials if trial.verdict != "pass"}
        assert planner.asked >= results.total and planner.broken == []
        assert failed <= planner.limited


@pytest.mark.parametrize(("suite", "total"), [("adversarial", 385), ("held_out", 300)])
def test_nothing_but_the_paper_s_contract_stops_the_oracle(suite: str, total: int) -> None:
    rows = evaluate(Words, suite, hook=OraclePlanner(), controls=False)
    paper = evaluate(Words, suite, hook=OraclePlanner("paper"), controls=False)
    assert (rows.total, rows.count("error"), paper.count("error")) == (total, 0, 0)
    assert rows.passed >= 0.98 * total > paper.passed


def test_a_suite_without_states_has_no_ceiling(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no states"):
        evaluate(Words, "template", hook=OraclePlanner(), controls=False)
