"""Endpoints that ask to wait, hang, break off or are not there."""

import time
from datetime import UTC, datetime
from email.utils import format_datetime

import openai
import pytest

from lethe.gateway import upstream
from tests.endpoints.table import behaviour
from tests.gateway.conftest import StartGateway, ask, content, model
from tests.support.scripted_endpoint import ScriptedEndpoint, answer, body, refuse

PAST = format_datetime(datetime(2026, 1, 1, tzinfo=UTC), usegmt=True)
SHORT = (
    {"Retry-After": "0"},
    {"Retry-After": "-5"},
    {"Retry-After": PAST},
    {"Retry-After-Ms": "10"},
    {"Retry-After": "soon"},
)


@behaviour("`Retry-After: 0`, a date in the past, a few `retry-after-ms`, or no date at all")
@pytest.mark.parametrize("headers", SHORT, ids=str)
def test_a_wait_of_nothing(
    start: StartGateway, endpoint: ScriptedEndpoint, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.1)
    endpoint.script = [refuse(429, headers)] * 2
    started = time.monotonic()
    assert content(ask(start(model(endpoint.url)))) == "hello"
    assert time.monotonic() - started > 0.75 * (0.1 + 0.2)


@behaviour("`Retry-After` of up to two minutes, in seconds, milliseconds or as a date")
@pytest.mark.parametrize("headers", [{"Retry-After": "0.8"}, {"retry-after-ms": "800"}], ids=str)
def test_a_wait_that_is_asked_for(start: StartGateway, endpoint: ScriptedEndpoint, headers: dict[str, str]) -> None:
    endpoint.script = [refuse(429, headers)]
    assert content(ask(start(model(endpoint.url)))) == "hello"
    assert endpoint.times[1] - endpoint.times[0] >= 0.8


@behaviour("`Retry-After` of more than two minutes")
def test_a_wait_that_is_too_long(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.script = [refuse(429, {"Retry-After": "86400"})]
    with pytest.raises(openai.RateLimitError, match=r"asks to wait \(Retry-After: 86400\)"):
        ask(start(model(endpoint.url)))
    assert len(endpoint.asked) == 1


@behaviour("no answer within `timeout_s`, or a connection that breaks off")
def test_a_hang_and_half_an_answer(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.script = [answer(delay_s=5), body('{"choices"', headers={"Content-Length": "500"})]
    assert content(ask(start(model(endpoint.url, timeout_s=0.4)))) == "hello"
    assert len(endpoint.asked) == 3


@behaviour("nothing that listens, or never a sign of life at the first call")
def test_nobody_there(start: StartGateway, dead_url: str) -> None:
    gateway = start(model(dead_url, max_attempts=2))
    with pytest.raises(openai.InternalServerError):
        ask(gateway)
    assert gateway.stop == (
        f"model scripted: {dead_url} cannot be reached: nothing listens there; check models.scripted.base_url "
        "(attempts: 2)"
    )


@behaviour("the same after an answer")
def test_nobody_there_any_more(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    gateway = start(model(endpoint.url, timeout_s=0.3, max_attempts=2))
    assert content(ask(gateway)) == "hello"
    endpoint.otherwise = answer(delay_s=5)
    for text in "abc"[: upstream.OPENS_AFTER]:
        with pytest.raises(openai.InternalServerError, match=r"timed out after 0.3 s \(attempts: 2\)"):
            ask(gateway, text)
    with pytest.raises(openai.InternalServerError, match="given a pause"):
        ask(gateway, "d")
    assert gateway.stop is None
