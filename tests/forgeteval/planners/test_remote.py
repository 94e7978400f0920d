"""Every decision comes back from the other process as it was made."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from forgeteval.planners.protocol import Choice, Edit, Matches, Replace, Unsure
from forgeteval.planners.remote import RemotePlanner, answer

Decision = Replace | Edit | Matches | Choice | Unsure
DECISIONS: list[Decision | None] = [
    Replace(),
    Replace("the whole memory"),
    Edit("kept; new", "one clause"),
    Matches(()),
    Matches((0, 3), "same number", ((1, "what stays"), (2, "stays too"))),
    Choice(4, "the memory about it"),
    Unsure("two memories fit"),
    None,
]


class Fixed:
    """Decides the same whatever it is asked, and keeps what that was."""

    def __init__(self, decision: Decision | None) -> None:
        self.decision: Any = decision
        self.asked: list[tuple[Any, ...]] = []

    def supersede(self, memory: str, query: str, new_fact: str) -> Any:
        return self._decide("supersede", memory, query, new_fact)

    def purge_match(self, target: str, candidates: Sequence[str]) -> Any:
        return self._decide("purge_match", target, candidates)

    def release_match(self, target: str, candidates: Sequence[str]) -> Any:
        return self._decide("release_match", target, candidates)

    def _decide(self, *asked: Any) -> Any:
        self.asked.append(asked)
        return self.decision


class Choosing(Fixed):
    def supersede(self, memory: str, query: str, new_fact: str, written: Sequence[str] | None = None) -> Any:
        return self._decide("supersede", memory, query, new_fact, *([written] if written is not None else []))

    def choose(self, query: str, new_fact: str, candidates: Sequence[str], written_for: Sequence[str] = ()) -> Any:
        return self._decide("choose", query, new_fact, candidates, written_for)


def over_json(planner: Fixed) -> RemotePlanner:
    def ask(message: dict[str, Any]) -> Mapping[str, Any]:
        reply: Mapping[str, Any] = json.loads(json.dumps(answer(planner, json.loads(json.dumps(message)))))
        return reply

    return RemotePlanner(ask)


@pytest.mark.parametrize("decision", DECISIONS)
def test_a_decision_survives_the_way(decision: Decision | None) -> None:
    planner = Choosing(decision)
    remote = over_json(planner)
    assert remote.supersede("memory", "query", "new") == decision
    assert remote.supersede("memory", "query", "new", ("earlier", "memory")) == decision
    assert remote.purge_match("target", ("a", "b")) == decision
    assert remote.release_match("target", ["a"]) == decision
    assert remote.choose("query", "new", ["a", "b"], ("", "earlier")) == decision
    assert planner.asked == [
        ("supersede", "memory", "query", "new"),
        ("supersede", "memory", "query", "new", ["earlier", "memory"]),
        ("purge_match", "target", ["a", "b"]),
        ("release_match", "target", ["a"]),
        ("choose", "query", "new", ["a", "b"], ["", "earlier"]),
    ]


def test_a_planner_that_does_not_choose_memories_is_not_asked_to() -> None:
    with pytest.raises(ValueError, match="Fixed makes no decision 'choose'"):
        over_json(Fixed(None)).choose("query", "new", ["a"])
