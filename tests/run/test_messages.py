"""Messages: each comes out of its line as it went in."""

import numpy as np
import pytest

from lethe.cases.history import History, Operation, Question
from lethe.gateway.context import CallContext
from lethe.planners.chat import ChatOptions, Endpoint
from lethe.run.messages import (
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
    TrialMessage,
    decode,
    encode,
)
from lethe.run.replay import Answer, Replay, ReplayOptions
from lethe.systems.protocol import Services
from tests.support.bench import HashEmbedder

TEXTS = EmbeddedTexts.of(["one", "zwei\nZeilen"], HashEmbedder())
CHAT = ChatOptions("m", 0.0, 64)
REPLAYED = Replay(
    2, 1, answers=[Answer("q", ["one"], 1.5, 0.5, True, 0), Answer("r", error="broke")], decisions=["purge"]
)
HISTORY = History("h", (Operation("inscribe", None, "one"), Question("q", "p", "what?", k=2, probes=("one",))))


def start(planner: PlannerSetup | None, services: Services | None = None) -> Start:
    return Start(
        "naive_sql",
        {"purge": "equal_text"},
        {"shelves": 3},
        True,
        planner,
        services,
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
        start(PlannerSetup(CHAT)),
        start(PlannerSetup(CHAT, Endpoint("http://127.0.0.1:9/v1", "token", 2.5))),
        TrialMessage(CallContext("s", "sut", "h", 1), HISTORY, TEXTS),
        TEXTS,
        Completion({"choices": []}),
        Completion(None, "replay: the cache has no answer"),
        Decision({"kind": "unsure", "reason": "cats"}),
        Built(None),
        Built("no such package"),
        Done(REPLAYED),
        Embed(["one"]),
        Complete({"model": "m"}, "supersede_repair"),
        Plan({"decision": "purge_match", "target": "x", "candidates": []}),
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
