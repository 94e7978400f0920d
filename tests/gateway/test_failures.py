"""Endpoints that refuse, hang, break off or are not there."""

import time
from pathlib import Path
from typing import Any

import openai
import pytest

from lethe.gateway import upstream
from lethe.gateway.server import Gateway
from tests.gateway.conftest import StartGateway, ask, client, content, model
from tests.support.gateway_logs import rows
from tests.support.scripted_endpoint import ScriptedEndpoint, answer, body, refuse


@pytest.fixture
def gateway(start: StartGateway, endpoint: ScriptedEndpoint) -> Gateway:
    return start(model(endpoint.url, timeout_s=0.4, max_attempts=3))


def test_retry_after_is_waited_for(gateway: Gateway, endpoint: ScriptedEndpoint, cache: Path) -> None:
    endpoint.script = [refuse(429, {"Retry-After": "1"})]
    assert content(ask(gateway)) == "hello"
    assert endpoint.times[1] - endpoint.times[0] >= 1.0
    assert [call["attempts"] for call in rows(cache, "calls")] == [2]


def test_a_wait_that_is_too_long_is_told(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.script = [refuse(429, {"Retry-After": "600"})]
    with pytest.raises(openai.RateLimitError, match=r"asks to wait \(Retry-After: 600\)"):
        ask(gateway)
    assert len(endpoint.asked) == 1


def test_failures_that_pass(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.script = [refuse(status) for status in (500, 503, 429, 408)]
    assert content(ask(start(model(endpoint.url)))) == "hello"
    assert len(endpoint.asked) == 5


def test_a_hang_is_tried_again(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.script = [answer(delay_s=5)]
    started = time.monotonic()
    assert content(ask(gateway)) == "hello"
    assert 0.4 <= time.monotonic() - started < 5


def test_attempts_end(gateway: Gateway, endpoint: ScriptedEndpoint, cache: Path) -> None:
    endpoint.otherwise = refuse(500, message="out of memory")
    with pytest.raises(openai.InternalServerError, match=r"answered 500 .*out of memory.*attempts: 3"):
        ask(gateway)
    assert len(endpoint.asked) == 3
    (call,) = rows(cache, "calls")
    assert (call["attempts"], call["cache_hit"], call["cost_usd"], call["tokens_in"]) == (3, 0, 0, None)
    assert "out of memory" in call["error"]
    assert '"hello"' in call["request"]
    assert rows(cache, "answers") == []


def test_clients_are_told_not_to_try_again(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = refuse(500)
    messages: Any = [{"role": "user", "content": "x"}]
    with client(gateway, max_retries=5) as eager, pytest.raises(openai.InternalServerError):
        eager.chat.completions.create(model="scripted", messages=messages)
    assert len(endpoint.asked) == 3


def test_failures_that_do_not_pass(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    for status, seen in ((400, 400), (404, 404), (422, 422), (401, 502), (403, 502)):
        endpoint.script = [refuse(status, message="too many words")]
        with pytest.raises(openai.APIStatusError, match=rf"answered {status} .*too many words") as caught:
            ask(gateway)
        assert caught.value.status_code == seen
    assert len(endpoint.asked) == 5


UNUSABLE = (
    ("", "an empty body"),
    ('{"choices": [{"mess', "not JSON"),
    ("[]", "not a chat completion"),
    ('{"choices": []}', "not a chat completion"),
    ('{"error": {"message": "overloaded"}}', "not a chat completion.*overloaded"),
    ('{"choices": [{"message": "yes"}]}', "not a chat completion"),
)


def test_an_unusable_body_is_an_error_and_not_kept(gateway: Gateway, endpoint: ScriptedEndpoint, cache: Path) -> None:
    for text, said in UNUSABLE:
        endpoint.otherwise = body(text)
        with pytest.raises(openai.InternalServerError, match=said):
            ask(gateway)
    assert len(endpoint.asked) == 3 * len(UNUSABLE)
    assert rows(cache, "answers") == []
    endpoint.otherwise = answer()
    assert content(ask(gateway)) == "yes"
    assert [call["error"] is None for call in rows(cache, "calls")] == [False] * len(UNUSABLE) + [True]


def test_a_body_that_breaks_off_on_the_wire(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.script = [body('{"choices"', headers={"Content-Length": "500"})]
    assert content(ask(gateway)) == "hello"
    assert len(endpoint.asked) == 2


def test_a_dead_endpoint_opens_the_circuit(start: StartGateway, dead_url: str, cache: Path) -> None:
    gateway = start(model(dead_url, max_attempts=4))
    for _ in range(upstream.OPENS_AFTER):
        with pytest.raises(openai.InternalServerError, match=r"nothing listens there.*attempts: 4"):
            ask(gateway)
    for _ in range(20):
        with pytest.raises(openai.InternalServerError, match="given a pause"):
            ask(gateway)
    assert [call["attempts"] for call in rows(cache, "calls")] == [4] * upstream.OPENS_AFTER + [0] * 20
    assert not any(call["spent"] for call in rows(cache, "calls"))


def test_an_endpoint_that_comes_back_closes_the_circuit(
    gateway: Gateway, endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upstream, "OPENS_AFTER", 1)
    monkeypatch.setattr(upstream, "COOL_DOWN_S", 3600)
    endpoint.script = [answer(delay_s=1)] * 4
    with pytest.raises(openai.APIStatusError, match=r"timed out after 0.4 s \(attempts: 3\)"):
        ask(gateway)
    with pytest.raises(openai.APIStatusError, match="given a pause"):
        ask(gateway)
    monkeypatch.setattr(upstream, "COOL_DOWN_S", 0)
    with pytest.raises(openai.APIStatusError, match=r"timed out after 0.4 s$"):
        ask(gateway)
    assert content(ask(gateway)) == "hello"
    assert content(ask(gateway, "again")) == "again"


def test_refusals_do_not_open_the_circuit(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = refuse(500)
    for text in "abcde":
        with pytest.raises(openai.InternalServerError, match="answered 500"):
            ask(gateway, text)
