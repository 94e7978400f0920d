"""Chat, embeddings and the list of models, seen through the OpenAI client."""

import base64
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import openai
import pytest

from lethe.gateway.server import CallContext, Gateway
from tests.gateway.conftest import KEY, PRICE, CountingEmbedder, StartGateway, ask, client, content, model
from tests.support.gateway_logs import rows
from tests.support.scripted_endpoint import ScriptedEndpoint, answer, body, completion

MESSAGES: Any = [{"role": "user", "content": "Grüße 😀"}]
EXPECTED = CountingEmbedder().embed(["one", "three"])
TOOL_CALL = {"id": "call_1", "type": "function", "function": {"name": "forget", "arguments": "{}"}}


@pytest.fixture
def gateway(start: StartGateway, endpoint: ScriptedEndpoint) -> Gateway:
    return start(model(endpoint.url))


def post(gateway: Gateway, path: str, **request: Any) -> httpx.Response:
    request.setdefault("headers", {"Authorization": f"Bearer {gateway.token}"})
    return httpx.post(f"{gateway.url}{path}", **request)


def test_an_answer_comes_back_whole(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    asked = {"model": "scripted", "messages": MESSAGES}
    found = post(gateway, "/chat/completions", json=asked).json()
    assert found == completion("Grüße 😀")
    assert endpoint.asked == [{"model": "endpoint-name", "messages": MESSAGES}]
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"


def test_fields_are_passed_through_unchanged(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    options: dict[str, Any] = {
        "temperature": 0.3,
        "top_p": 0.9,
        "seed": 7,
        "max_tokens": 5,
        "stop": ["x"],
        "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}},
        "tools": [{"type": "function", "function": {"name": "forget", "parameters": {"type": "object"}}}],
        "tool_choice": "auto",
        "extra_body": {"a_field_of_the_server": {"deep": [1, None]}},
    }
    ask(gateway, **options)
    extra = options.pop("extra_body")
    assert endpoint.asked[0] == {
        "model": "endpoint-name",
        "messages": [{"role": "user", "content": "hello"}],
        **options,
        **extra,
    }


@pytest.mark.parametrize("field", ["max_tokens", "max_completion_tokens", "n"])
@pytest.mark.parametrize("number", [2**63, 10**400])
def test_a_number_that_no_endpoint_can_hold_is_refused(
    gateway: Gateway, endpoint: ScriptedEndpoint, field: str, number: int
) -> None:
    answered = post(gateway, "/chat/completions", json={"model": "scripted", "messages": MESSAGES, field: number})
    assert (answered.status_code, endpoint.asked) == (400, [])
    assert answered.json()["error"]["message"] == f"{field} must fit 64 bits"


def test_a_model_s_extra_body_is_added_where_the_request_says_nothing(
    start: StartGateway, endpoint: ScriptedEndpoint
) -> None:
    gateway = start(model(endpoint.url, extra_body={"top_k": 1, "seed": 1}))
    ask(gateway, seed=2)
    assert endpoint.asked[0]["top_k"] == 1
    assert endpoint.asked[0]["seed"] == 2


def test_a_streamed_answer(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    with client(gateway) as chat:
        stream = chat.chat.completions.create(
            model="scripted", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
        )
        chunks = list(stream)
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == "Grüße 😀"
    assert [c.choices[0].finish_reason for c in chunks if c.choices] == [None, "stop"]
    assert {c.object for c in chunks} == {"chat.completion.chunk"}
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens == 110
    assert "stream" not in endpoint.asked[0]
    assert "stream_options" not in endpoint.asked[0]


def test_usage_is_streamed_only_when_asked_for(gateway: Gateway) -> None:
    found = post(gateway, "/chat/completions", json={"model": "scripted", "messages": MESSAGES, "stream": True})
    assert found.headers["content-type"].startswith("text/event-stream")
    assert found.text.endswith("data: [DONE]\n\n")
    assert "usage" not in found.text


def test_tool_calls_are_streamed(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.script = [answer(None, "tool_calls", tool_calls=[TOOL_CALL])]
    with client(gateway) as chat:
        chunks = list(chat.chat.completions.create(model="scripted", messages=MESSAGES, stream=True))
    (call,) = chunks[0].choices[0].delta.tool_calls or []
    assert (call.index, call.id, call.function and call.function.name) == (0, "call_1", "forget")
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


def test_a_streamed_and_a_complete_answer_share_the_cache(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    ask(gateway)
    with client(gateway) as chat:
        messages: Any = [{"role": "user", "content": "hello"}]
        list(chat.chat.completions.create(model="scripted", messages=messages, stream=True))
    assert len(endpoint.asked) == 1


def test_embeddings(gateway: Gateway) -> None:
    with client(gateway) as embedder:
        found = embedder.embeddings.create(model="any-name", input=["one", "three"], encoding_format="float")
    np.testing.assert_allclose([item.embedding for item in found.data], EXPECTED, atol=1e-7)


def test_embeddings_in_base64(gateway: Gateway) -> None:
    asked = {"model": "m", "input": ["one", "three"], "encoding_format": "base64"}
    data = post(gateway, "/embeddings", json=asked).json()["data"]
    vectors = [np.frombuffer(base64.b64decode(item["embedding"]), "<f4") for item in data]
    np.testing.assert_array_equal(vectors, EXPECTED)


def test_one_text_is_embedded_too(gateway: Gateway) -> None:
    (found,) = post(gateway, "/embeddings", json={"model": "m", "input": "one"}).json()["data"]
    np.testing.assert_allclose(found["embedding"], CountingEmbedder().embed(["one"])[0], atol=1e-7)


def test_embeddings_that_cannot_be_given(gateway: Gateway) -> None:
    reasons: list[tuple[dict[str, Any], str]] = [
        ({"input": []}, "at least one text"),
        ({"input": [1, 2]}, "not token ids"),
        ({"input": "x", "dimensions": 7}, "this embedder gives 3"),
        ({"input": "x", "encoding_format": "int8"}, "float or base64"),
    ]
    for asked, reason in reasons:
        found = post(gateway, "/embeddings", json=asked)
        assert found.status_code == 400
        assert reason in found.json()["error"]["message"]


def test_models(gateway: Gateway) -> None:
    with client(gateway) as lister:
        assert [found.id for found in lister.models.list()] == ["scripted", "lethe-embedder"]


def test_without_the_token_nothing_is_answered(gateway: Gateway) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": gateway.token}):
        for path in ("/chat/completions", "/embeddings", "/models", "/nothing"):
            found = post(gateway, path, headers=headers, json={})
            assert found.status_code == 401
            assert found.json()["error"]["code"] == "invalid_api_key"


def test_the_openai_client_sees_a_wrong_token_as_such(gateway: Gateway) -> None:
    with openai.OpenAI(base_url=gateway.url, api_key="wrong") as stranger, pytest.raises(openai.AuthenticationError):
        stranger.models.list()


UNREADABLE = (
    b"",
    b"[]",
    b"{",
    b'{"model": "scripted", "messages": []}',
    b'{"messages": [{}]}',
    b'{"x": NaN}',
    b'{"x": "\\ud800"}',
    b"[" * 100_000,
)


def test_requests_that_cannot_be_read(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    for sent in UNREADABLE:
        found = post(gateway, "/chat/completions", content=sent)
        assert found.status_code == 400
        assert found.json()["error"]["type"] == "invalid_request_error"
    assert endpoint.asked == []


def test_an_unknown_model_and_an_unknown_path(gateway: Gateway) -> None:
    found = post(gateway, "/chat/completions", json={"model": "gpt", "messages": MESSAGES})
    assert (found.status_code, found.json()["error"]["code"]) == (404, "model_not_found")
    assert "scripted" in found.json()["error"]["message"]
    assert post(gateway, "/completions", json={}).json()["error"]["message"] == "Not Found"


def test_a_long_name_of_a_model_is_not_repeated(gateway: Gateway) -> None:
    found = post(gateway, "/chat/completions", json={"model": "\\u0041" * 20_000, "messages": MESSAGES})
    assert (found.status_code, found.json()["error"]["code"]) == (404, "model_not_found")
    said = found.json()["error"]["message"]
    assert said == "no model with a name of 120000 characters; config/models.yaml has: scripted"


def test_a_lone_surrogate_in_an_answer_survives(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.script = [body(json.dumps(completion("\ud83d")))]
    found = post(gateway, "/chat/completions", json={"model": "scripted", "messages": MESSAGES})
    assert json.loads(found.content)["choices"][0]["message"]["content"] == "\ud83d"


def test_mode_off_refuses_chat_and_embeds(start: StartGateway, endpoint: ScriptedEndpoint, cache: Path) -> None:
    gateway = start(model(endpoint.url), mode="off")
    with pytest.raises(openai.PermissionDeniedError, match="chat is off"):
        ask(gateway)
    assert post(gateway, "/embeddings", json={"input": "x"}).status_code == 200
    assert gateway.stop is None
    assert not cache.exists()


def test_usage_is_kept_by_trial(gateway: Gateway) -> None:
    first = CallContext("adversarial", "lethe+llm", "case/ä 1", 2, "supersede")
    ask(gateway, "one", first)
    ask(gateway, "one", first)
    gateway.context = CallContext("adversarial", "lethe+llm", "case/ä 1", 2, "purge_match")
    ask(gateway, "two")
    ask(gateway, "two", CallContext("adversarial", "other"))
    spent = gateway.usage(CallContext("adversarial", "lethe+llm", "case/ä 1", 2))
    assert (spent.calls, spent.tokens_in, spent.tokens_out) == (3, 300, 30)
    assert spent.cost_usd == pytest.approx(3 * PRICE)
    assert gateway.usage(CallContext("adversarial", "lethe+llm", "case/ä 1", 1)).calls == 0


def forged(context: CallContext) -> dict[str, str]:
    """The headers by which a call once said whose it was."""
    names = ("Suite", context.suite), ("System", context.system), ("Case", context.case_id), ("Purpose", "supersede")
    return {f"X-Lethe-{name}": value for name, value in (*names, ("Repetition", str(context.repetition)))}


@pytest.mark.parametrize("issued", [False, True], ids=["the system's token", "a trial's token"])
def test_no_header_bills_a_call_to_another_configuration(gateway: Gateway, cache: Path, issued: bool) -> None:
    own, other = CallContext("adversarial", "asking@m", "case 1"), CallContext("adversarial", "other@m", "case 2", 1)
    gateway.context = own
    with client(gateway, own if issued else None) as chat:
        chat.chat.completions.create(model="scripted", messages=MESSAGES, extra_headers=forged(other))
    assert gateway.usage(own).calls == 1
    assert gateway.usage(other).calls == 0
    (call,) = rows(cache, "calls")
    assert (call["system"], call["case_id"], call["repetition"]) == ("asking@m", "case 1", 0)
    assert call["purpose"] == ("supersede" if issued else "")


def test_trials_at_once_are_told_apart_by_their_tokens(gateway: Gateway) -> None:
    trials = [CallContext("adversarial", "lethe+llm@m", f"case {number}") for number in range(4)]
    with ExitStack() as stack:
        chats = [stack.enter_context(client(gateway, trial)) for trial in trials]
        for times, chat in enumerate(chats):
            for _ in range(times):
                chat.chat.completions.create(model="scripted", messages=MESSAGES)
    assert [gateway.usage(trial).calls for trial in trials] == [0, 1, 2, 3]


def test_the_content_is_what_the_endpoint_said(gateway: Gateway) -> None:
    assert content(ask(gateway, "anything")) == "anything"
