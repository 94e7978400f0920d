"""A planner in the run's own process decides a worker's mutations; each decision stands in the trial."""

from collections.abc import Sequence
from typing import Any

import pytest

from forgeteval.planners.protocol import Choice, Edit, Matches, Replace, Unsure
from lethe.run.services import planner_here
from tests.support.bench import Bench, make_case

OLD, NEW, OTHER = "the key is at home", "the key is in the office", "the cat sleeps"


class Fixed:
    """Takes the row about the key, edits it at a supersede, and is unsure about cats."""

    def choose(
        self, query: str, new_fact: str, candidates: Sequence[str], written_for: Sequence[str] = ()
    ) -> Choice | Unsure:
        return Unsure("cats") if "cat" in query else Choice(list(candidates).index(OLD), "the key's row")

    def supersede(
        self, memory: str, query: str, new_fact: str, written: Sequence[str] | None = None
    ) -> Replace | Edit | Unsure | None:
        return Edit(f"{new_fact}; as before", "one half")

    def purge_match(self, target: str, candidates: Sequence[str]) -> Matches | Unsure | None:
        return Matches(tuple(i for i, text in enumerate(candidates) if "key" in text), "same key")

    def release_match(self, target: str, candidates: Sequence[str]) -> Matches | Unsure | None:
        return None


CASES = [
    make_case("edited", [OLD, OTHER], "key", ["as before"], [OLD], [("supersede", "key", NEW)]),
    make_case("purged", [OLD, OTHER], "key cat", [OTHER], ["key"], [("purge", "key")]),
    make_case("unsure", [OTHER], "cat", ["dog"], [], [("supersede", "cat", "the dog sleeps")]),
    make_case("no decision", [OTHER], "cat", [], [OTHER], [("release", "cat")]),
]


@pytest.fixture
def rows(bench: Bench) -> dict[str, dict[str, Any]]:
    return {row["case_id"]: row for row in bench.run(CASES, "naive_sql", services=planner_here(Fixed()))}


def test_its_decisions_are_carried_out(rows: dict[str, dict[str, Any]]) -> None:
    assert [row["verdict"] for row in rows.values()] == ["pass"] * 4
    assert rows["edited"]["recalled"] == [f"{NEW}; as before"]


def test_they_stand_in_the_trial_with_their_reasons(rows: dict[str, dict[str, Any]]) -> None:
    assert rows["edited"]["decisions"] == [
        "supersede: memory 1 of 1 (the key's row)", "supersede: edit (one half)",
    ]  # fmt: skip
    assert rows["purged"]["decisions"] == ["purge: 1 of 1 memories (same key)"]
    assert rows["unsure"]["decisions"] == ["supersede: fallback (cats)"]
    assert rows["no decision"]["decisions"] == ["release: fallback (no usable decision)"]


def test_fallbacks_of_rules_are_no_fallbacks_of_a_model(rows: dict[str, dict[str, Any]]) -> None:
    assert [row["matcher_fallbacks"] for row in rows.values()] == [0, 0, 1, 1]
    assert all(row["llm_fallbacks"] == row["llm_calls"] == 0 for row in rows.values())
