"""Every decision comes back from the other process as it was made."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from forgeteval.planners.protocol import Candidate, Decision, Meant, Shown, Supersession, Unsure
from forgeteval.planners.remote import RemotePlanner, answer, check_message
from tests.support.scripted_planner import FixedPlanner

DECISIONS: list[Decision] = [
    Meant(),
    Meant((0, 1), reason="the same number"),
    Meant((2,), ((1, "what stays"), (0, "stays too")), "why", "how much", restated=True),
    Meant((2,), duplicates=(0,)),
    Unsure("two memories fit"),
    Unsure("two memories fit", (2, 0)),
]
SHOWN = (
    Candidate("a", (Supersession("query", "a"), Supersession("earlier", "before"))),
    Candidate("b"),
    Candidate("𝄞 c"),
)


def over_json(planner: FixedPlanner) -> RemotePlanner:
    def ask(message: dict[str, Any]) -> Mapping[str, Any]:
        sent = json.loads(json.dumps(message))
        check_message(sent)
        reply: Mapping[str, Any] = json.loads(json.dumps(answer(planner, sent)))
        return reply

    return RemotePlanner(ask)


@pytest.mark.parametrize("decision", DECISIONS)
def test_a_decision_survives_the_way(decision: Decision) -> None:
    planner = FixedPlanner(decision)
    remote = over_json(planner)
    assert remote.supersede("query", "new", SHOWN) == decision
    assert planner.shown == list(SHOWN)
    if isinstance(decision, Meant) and (decision.restated or decision.duplicates):
        return
    assert remote.release("query", list(reversed(SHOWN))) == decision
    assert planner.shown == list(reversed(SHOWN))
    assert remote.purge("other", SHOWN) == decision
    assert planner.asked == [("supersede", "query", "new"), ("release", "query"), ("purge", "other")]


def test_a_planner_elsewhere_is_shown_as_many_memories_as_it_wants() -> None:
    assert RemotePlanner(dict).is_shown == Shown()
    assert RemotePlanner(dict, Shown(1)).is_shown == Shown(supersede=1)


GOOD = {"decision": "supersede", "query": "q", "new_fact": "n", "candidates": [{"text": "a", "written": []}]}


def test_a_message_may_leave_out_what_is_not_known() -> None:
    check_message(GOOD)
    check_message({"decision": "purge", "query": "q", "candidates": [{"text": "a"}]})


@pytest.mark.parametrize(
    "changed",
    [
        {"decision": "close"},
        {"decision": "purge"},
        {"decision": ["supersede"]},
        {"query": 1},
        {"query": None},
        {"candidates": []},
        {"candidates": "a"},
        {"candidates": ["a"]},
        {"candidates": {"text": "a"}},
        {"candidates": [{}]},
        {"candidates": [{"text": 1}]},
        {"candidates": [{"text": "a", "score": 1.0}]},
        {"candidates": [{"text": "a", "written": ["q"]}]},
        {"candidates": [{"text": "a", "written": [{"query": "q"}]}]},
        {"candidates": [{"text": "a", "written": [{"query": "q", "new_fact": []}]}]},
        {"planner": "x"},
    ],
    ids=json.dumps,
)
def test_what_is_no_message_is_refused(changed: dict[str, Any]) -> None:
    message = {**GOOD, **changed}
    with pytest.raises(ValueError, match="is asked for"):
        check_message(message)
    with pytest.raises(ValueError, match="is asked for"):
        answer(FixedPlanner(), message)


@pytest.mark.parametrize("lacking", GOOD)
def test_a_message_lacks_nothing(lacking: str) -> None:
    with pytest.raises(ValueError, match="no decision is asked for"):
        check_message({name: value for name, value in GOOD.items() if name != lacking})
