"""Written cases as labelled decisions."""

from typing import Any

from forgeteval.cases.interchange import case_from_json
from lethe.matcher.training.decisions import Decision, decisions, shown

CASE = {
    "id": "one",
    "category": "compound_fact",
    "setup_facts": ["Ana sings and keeps a goat", "Bo has badge 12", "Bo's badge 12 opens the lab", "Tea is at four"],
    "mutations": [["supersede", "Ana's voice", "Ana has stopped singing"], ["purge", "badge 12"]],
    "final_query": "what about Ana",
    "must_contain": ["goat"],
    "must_not_contain": ["badge 12"],
    "gold_rows": ["Ana has stopped singing", "Ana keeps a goat", "Tea is at four"],
}


def found(**changed: Any) -> list[Decision]:
    return decisions(case_from_json({**CASE, **changed}, "mine", "here"))


def test_each_mutation_is_about_the_memories_that_it_fits() -> None:
    first, second = found()
    assert (first.operation, first.new_fact, first.meant) == ("supersede", "Ana has stopped singing", {0})
    assert first.kept == {0: "Ana keeps a goat"}
    assert {second.memories[at] for at in second.meant} == {"Bo has badge 12", "Bo's badge 12 opens the lab"}
    assert second.kept == {}


def test_a_memory_that_a_later_request_fits_better_is_not_superseded() -> None:
    facts = ["The Oseis' promo code is LEAP30", "Osei family: Hearth 100", "Tea is at four"]
    asked = [["supersede", "what the Oseis are on", "The Oseis try Torrent 900"], ["purge", "their promo code"]]
    first, second = found(setup_facts=facts, mutations=asked, gold_rows=["The Oseis try Torrent 900", "Tea is at four"])
    assert (first.meant, second.meant) == ({1}, {0})


def test_what_a_supersession_wrote_is_stored_with_its_query() -> None:
    _, second = found()
    assert second.memories[0] == "Ana has stopped singing. Ana keeps a goat"
    assert second.written_for == ("Ana's voice", "", "", "")


def test_a_case_that_does_not_say_what_is_left_labels_nothing() -> None:
    assert found(gold_rows=None) == []


def test_a_request_whose_target_is_absent_means_no_memory() -> None:
    (only,) = found(mutations=[["purge", "the harp"]], gold_rows=CASE["setup_facts"])
    assert only.meant == frozenset()


def test_the_most_similar_memories_are_shown_best_first() -> None:
    (only,) = found(mutations=[["purge", "badge 12"]], gold_rows=["Tea is at four"])
    assert shown(only, [0.1, 0.9, 0.5, 0.2]) == [1, 2, 3, 0]
