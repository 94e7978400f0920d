"""Learning: the same weights from the same cases, and nothing from a batch that is left out."""

import json
from typing import Any

import pytest

from forgeteval.planners.protocol import Meant
from lethe.matcher.decision.weights import Weights
from lethe.matcher.planner import Matcher
from lethe.matcher.training.learn import Example, examples, learned
from lethe.matcher.training.material import batches
from tests.support.bench import HashEmbedder
from tests.support.paths import ROOT
from tests.support.scripted_planner import candidates

BATCHES = ("plain", "terse", "voice")

BY_NAME = """
adversarial assistant crowd desk differently_worded double_facts field free_styles_a_to_f general
general_by_three halves_kept handles implied languages mails many no_shared_word owners plain records snares
styles_k_to_n sundry_styles_g_to_j team_of_four terse text_forms text_grammar toolcalls twelve_scripts voice
""".split()
"""All batches by name. Which learn together, and so the weights, depends on this order."""


@pytest.fixture(scope="module")
def seen() -> list[Example]:
    embedder = HashEmbedder()
    found = [batch for batch in batches(ROOT / "suites") if batch[0] in BATCHES]
    return list(examples(found, lambda texts: embedder.embed(list(texts)).astype("float64")))


@pytest.fixture(scope="module")
def weights(seen: list[Example]) -> dict[str, Any]:
    return learned(seen)


def test_the_names_of_batches_are_in_the_order_that_the_weights_depend_on() -> None:
    assert sorted(name for name, _, _ in batches(ROOT / "suites")) == BY_NAME


def test_the_same_cases_give_the_same_weights(seen: list[Example], weights: dict[str, Any]) -> None:
    assert json.dumps(learned(seen)) == json.dumps(weights)


def test_a_batch_left_out_is_not_learned_from(seen: list[Example]) -> None:
    without = [one for one in seen if one.batch != "terse"]
    assert json.dumps(learned(seen, ["terse"])) == json.dumps(learned(without))


def test_weights_from_few_cases_already_decide(weights: dict[str, Any]) -> None:
    matcher = Matcher(weights=Weights.from_json(weights), sure=0.0)
    decision = matcher.purge("room 12", candidates("Room 12 has a piano", "Tea is at four", "Bo sings on Mondays"))
    assert isinstance(decision, Meant)
    assert decision.whole == (0,)


def test_each_decision_is_seen_with_its_target_without_it_and_with_a_request_that_nearly_fits(
    seen: list[Example],
) -> None:
    kinds = {kind: [one for one in seen if one.kind == kind] for kind in ("stored", "removed", "near", "absent")}
    assert len(kinds["removed"]) <= len(kinds["stored"]) < len(seen)
    assert len(kinds["near"]) > len(kinds["stored"]) / 2
    assert all(one.labels.any() == (kind == "stored") for kind, own in kinds.items() for one in own)
    assert {len(off) for one in kinds["stored"] for off, _ in one.offs} == {0, 1}


def test_twins_belong_to_the_author_of_their_cases(seen: list[Example]) -> None:
    assert {one.batch for one in seen if one.case.endswith("-twin")} == {"voice"}
