"""Messages: each comes out of its line as it went in."""

import json
from typing import Any

import numpy as np
import pytest

from forgeteval.cases.history import Operation
from forgeteval.planners.chat import ChatOptions, Endpoint
from forgeteval.planners.protocol import Shown
from forgeteval.run.replay import Asked, Look, Looked, ReplayOptions, Step, Stepped
from forgeteval.stores.contract import Services
from lethe.jobs.acting import Act, Acted
from lethe.jobs.messages import (
    Built,
    Complete,
    Completion,
    Decision,
    Done,
    Embed,
    EmbeddedTexts,
    Message,
    Plan,
    PlannerSetup,
    Start,
    Tell,
    decode,
    encode,
)
from tests.support.bench import HashEmbedder

TEXTS = EmbeddedTexts.of(["one", "zwei\nZeilen"], HashEmbedder())
CHAT = ChatOptions("m", 0.0, 64)
STEP = Step((Operation("inscribe", None, "one"),), Asked("what?", 2), ("purge",))
STEPPED = Stepped(2, 1, recalled=["one"], recall_ms=1.5, decisions=["purge"])


def start(planner: PlannerSetup | None, services: Services | None = None) -> Start:
    return Start(
        "naive_sql",
        {"purge": "equal_text"},
        {"shelves": 3},
        True,
        planner,
        services,
        ["A_KEY"],
        32,
        2,
        ReplayOptions(10, strict=True),
        TEXTS,
    )


@pytest.mark.parametrize(
    "message",
    [
        start(None),
        start(PlannerSetup(), Services("http://127.0.0.1:9/v1", "token", "")),
        start(PlannerSetup(shown=Shown(1))),
        start(PlannerSetup(CHAT)),
        start(PlannerSetup(CHAT, Endpoint("http://127.0.0.1:9/v1", "token", 2.5))),
        Tell("1f", STEP, TEXTS),
        Tell("1f", Look(("7",), ("one",)), TEXTS),
        Tell("1f", Act("enter", named=("first", "second")), TEXTS),
        Tell("1f", Act("read", hit=1), TEXTS),
        TEXTS,
        Completion({"choices": []}),
        Completion(None, "replay: the cache has no answer"),
        Decision({"kind": "unsure", "reason": "cats"}),
        Built(None),
        Built("no such package"),
        Done("1f", STEPPED),
        Done("1f", Looked([["one"]], 1, [])),
        Done("1f", Acted(["one"], ["list"])),
        Done("1f", Acted(error="OSError: no room", not_expressed=True)),
        Embed(["one"]),
        Complete({"model": "m", "messages": []}, "supersede_repair"),
        Plan({"decision": "purge", "query": "x", "candidates": [{"text": "y", "written": []}]}),
    ],
    ids=lambda message: type(message).__name__,
)
def test_a_message_survives_its_line(message: Message) -> None:
    line = encode(message, 3)
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    assert decode(line) == (3, message)


def test_vectors_come_out_as_they_went_in() -> None:
    embedder = HashEmbedder()
    vectors = TEXTS.by_text(embedder.dim)
    assert list(vectors) == TEXTS.texts
    np.testing.assert_array_equal(np.stack(list(vectors.values())), embedder.embed(TEXTS.texts))
    assert EmbeddedTexts([], "").by_text(embedder.dim) == {}


@pytest.mark.parametrize(
    "message",
    [
        {"Embed": {"texts": ["\ud800"]}},
        {"Complete": {"request": {"messages": "x"}, "purpose": "p"}},
        {"Complete": {"request": {"messages": [10**30]}, "purpose": "p"}},
        {"Plan": {"wanted": {"decision": "close"}}},
        {"Plan": {"wanted": {"decision": "purge", "query": "x"}}},
        {"Plan": {"wanted": {"decision": "purge", "query": "x", "candidates": [1]}}},
        {"Plan": {"wanted": {"decision": "purge", "query": "x", "candidates": [{"text": "y"}], "planner": "y"}}},
        {"Done": {"trial": "1f", "came": {"mutated": (1 << 53) + 1}}},
        {"Done": {"trial": "1f", "came": {"decisions": ["\udfff"]}}},
        {"Done": {"trial": "1f", "came": {"mutate_ms": float("inf")}}},
        {"Done": {"trial": "1f", "came": {"mutate_ms": float("nan")}}},
        {"Done": {"trial": "1f", "came": {"mutate_ms": 1e300}}},
    ],
    ids=str,
)
def test_what_the_run_cannot_take_is_no_message(message: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no message"):
        decode(json.dumps({**message, "lane": 0}).encode())


@pytest.mark.parametrize(
    "came",
    [
        Looked(error="x" * 10_001),
        Looked([["x" * (1 << 20)]] * 5),
        Stepped(decisions=["x" * 100] * 656),
    ],
    ids=("why", "probes", "decisions"),
)
def test_what_comes_of_anything_has_an_end(came: Looked | Stepped) -> None:
    with pytest.raises(ValueError, match="letters"):
        Done("1f", came)


@pytest.mark.parametrize(
    "fields",
    [
        {"answered": ["x" * (1 << 25)]},
        {"answered": [""] * ((1 << 25) + 1)},
        {"of": ["x" * 20] * 500},
        {"error": "x" * 10_001},
    ],
    ids=("text", "texts", "names", "why"),
)
def test_what_comes_of_an_act_has_an_end(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="letters"):
        Acted(**fields)
