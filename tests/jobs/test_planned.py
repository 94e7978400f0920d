"""A planner in the run's own process decides a worker's mutations; each decision stands in the trial."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from forgeteval.cases.states import FactState
from forgeteval.planners.oracle import OraclePlanner
from forgeteval.planners.protocol import Candidate, Decision, Meant, Shown, Unsure
from lethe.jobs.services import planner_here
from tests.support.bench import Bench, make_case

OLD, NEW, OTHER = "the key is at home", "the key is in the office", "the cat sleeps"


class Fixed:
    """Takes the row about the key, edits it at a supersede, and is unsure about cats."""

    def supersede(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> Decision:
        if "cat" in query:
            return Unsure("cats")
        at = [memory.text for memory in candidates].index(OLD)
        return Meant(parts=((at, f"{new_fact}; as before"),), reason="the key's row", extent="one half", restated=True)

    def release(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        return Unsure("no rule")

    def purge(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        return Meant(tuple(at for at, memory in enumerate(candidates) if "key" in memory.text), reason="same key")


class Best(Fixed):
    """Is shown the best match at a supersession."""

    is_shown = Shown(supersede=1)


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
    assert rows["no decision"]["decisions"] == ["release: fallback (no rule)"]


def test_fallbacks_of_rules_are_no_fallbacks_of_a_model(rows: dict[str, dict[str, Any]]) -> None:
    assert [row["matcher_fallbacks"] for row in rows.values()] == [0, 0, 1, 1]
    assert all(row["llm_fallbacks"] == row["llm_calls"] == 0 for row in rows.values())


def test_it_is_shown_as_many_memories_as_it_wants(bench: Bench) -> None:
    (row,) = bench.run(CASES[:1], "naive_sql", services=planner_here(Best()))
    assert (row["verdict"], row["decisions"]) == ("pass", ["supersede: edit (one half)"])


def test_the_oracle_is_told_each_case_and_no_worker_is(bench: Bench) -> None:
    states = (FactState(0, "purged", ("key",)), FactState(1, "stays", ("cat",)))
    case = replace(make_case("purged", [OLD, OTHER], "key cat", [OTHER], ["key"], [("purge", "key")]), states=states)
    (row,) = bench.run([case], "naive_sql", services=planner_here(OraclePlanner("rows")))
    assert (row["verdict"], row["decisions"]) == ("pass", ["purge: 1 of 1 memories"])
