"""Learning: the same weights from the same cases, and nothing from a batch that is left out."""

import json
from typing import Any

import pytest

from forgeteval.planners.protocol import Meant
from lethe.matcher.decision.weights import Weights
from lethe.matcher.planner import Matcher
from lethe.matcher.training.material import batches
from lethe.matcher.training.seen import Seen
from tests.support.bench import HashEmbedder
from tests.support.paths import ROOT
from tests.support.scripted_planner import candidates

BATCHES = ("plain", "terse", "records", "toolcalls", "twelve_scripts")

BY_NAME = """
adversarial assistant crowd desk differently_worded double_facts field free_styles_a_to_f general
general_by_three halves_kept handles implied languages mails many no_shared_word owners plain records snares
styles_k_to_n sundry_styles_g_to_j team_of_four terse text_forms text_grammar toolcalls twelve_scripts voice
""".split()
"""All batches by name. Which learn together, and so the weights, depends on this order."""


@pytest.fixture(scope="module")
def seen() -> Seen:
    embedder = HashEmbedder()
    found = [batch for batch in batches(ROOT / "suites") if batch[0] in BATCHES]
    return Seen.of(found, lambda texts: embedder.embed(list(texts)).astype("float64"))


@pytest.fixture(scope="module")
def weights(seen: Seen) -> dict[str, Any]:
    return seen.weights()


def test_the_names_of_batches_are_in_the_order_that_the_weights_depend_on() -> None:
    assert sorted(name for name, _, _ in batches(ROOT / "suites")) == BY_NAME


def test_the_same_cases_give_the_same_weights(seen: Seen, weights: dict[str, Any]) -> None:
    assert json.dumps(seen.weights()) == json.dumps(weights)


def test_a_batch_left_out_is_not_learned_from(seen: Seen) -> None:
    without = Seen(
        [one for one in seen.examples if one.batch != "terse"], [one for one in seen.cuts if one.batch != "terse"]
    )
    assert json.dumps(seen.weights(["terse"])) == json.dumps(without.weights())


def test_weights_from_few_cases_already_decide(weights: dict[str, Any]) -> None:
    matcher = Matcher(weights=Weights.from_json(weights))
    decision = matcher.purge("room 12", candidates("Room 12 has a piano", "Tea is at four", "Bo sings on Mondays"))
    assert isinstance(decision, Meant)
    assert decision.whole == (0,)


def test_each_decision_is_seen_whole_and_once_without_a_kind_of_evidence(seen: Seen) -> None:
    assert len([one for one in seen.examples if not one.off]) * 2 == len(seen.examples)
    assert {one.is_whole for one in seen.examples if not one.off} == {True, False}
    assert {len(one.off) for one in seen.examples} == {0, 1}
    assert len({kind for one in seen.examples for kind in one.off}) > 3
