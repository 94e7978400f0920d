"""Concurrency, requests per minute, spending caps."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import openai
import pytest

from lethe.gateway.server import CallContext, Gateway
from tests.gateway.conftest import PRICE, StartGateway, ask, client, content, model
from tests.support.gateway_logs import rows
from tests.support.scripted_endpoint import ScriptedEndpoint, echo, refuse


def ask_many(gateway: Gateway, texts: list[str], threads: int = 64) -> float:
    """Seconds that these calls take when all are made at once."""
    with client(gateway) as chat, ThreadPoolExecutor(threads) as pool:

        def one(text: str) -> None:
            found = chat.chat.completions.create(model="scripted", messages=[{"role": "user", "content": text}])
            assert content(found) == text

        started = time.monotonic()
        list(pool.map(one, texts))
        return time.monotonic() - started


def test_requests_overlap_up_to_the_limit(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = echo(delay_s=0.2)
    gateway = start(model(endpoint.url, concurrency=16))
    ask(gateway, "the first call of a process imports what it needs")
    taken = ask_many(gateway, [f"text {number}" for number in range(64)])
    assert endpoint.most_at_once == 16
    # Sixteen at once take 0.8 s, one after the other 12.8 s; a busy machine lies far from both.
    assert taken < 4


def test_hits_do_not_wait_for_the_endpoint(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    gateway = start(model(endpoint.url, concurrency=1, requests_per_minute=1))
    ask(gateway)
    assert ask_many(gateway, ["hello"] * 50) < 2


def test_requests_per_minute(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    gateway = start(model(endpoint.url, requests_per_minute=600))
    started = time.monotonic()
    ask_many(gateway, [f"text {number}" for number in range(9)])
    assert all(asked - started >= 0.1 * number - 0.01 for number, asked in enumerate(endpoint.times))


def test_retries_count_as_requests(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.script = [refuse(500)] * 3
    gateway, started = start(model(endpoint.url, requests_per_minute=600)), time.monotonic()
    ask(gateway)
    assert endpoint.times[-1] - started >= 0.29


def test_max_calls_survives_restarts_and_hits_are_free(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path
) -> None:
    first = start(model(endpoint.url, max_calls=3))
    ask(first, "one")
    ask(first, "two")
    second = start(model(endpoint.url, max_calls=3))
    ask(second, "one")
    ask(second, "three")
    assert second.stop is None
    with pytest.raises(openai.APIStatusError, match="max_calls 3 is reached") as caught:
        ask(second, "four")
    assert caught.value.status_code == 402
    assert second.stop is not None
    assert "model scripted: max_calls 3" in second.stop
    assert content(ask(second, "two")) == "two"
    assert len(endpoint.asked) == 3
    raised = start(model(endpoint.url, max_calls=4))
    assert content(ask(raised, "four")) == "four"
    assert [call["error"] for call in rows(cache, "calls") if call["error"]] == [second.stop]


def test_max_calls_holds_under_concurrency(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = echo(delay_s=0.05)
    gateway = start(model(endpoint.url, max_calls=10))
    with ThreadPoolExecutor(30) as pool:
        outcomes = [pool.submit(ask, gateway, f"text {number}") for number in range(30)]
    assert sum(outcome.exception() is None for outcome in outcomes) == len(endpoint.asked) == 10
    assert gateway.stop is not None


def test_max_usd_holds_under_concurrency(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = echo(delay_s=0.05)
    context = CallContext("adversarial", "lethe+llm", "1")
    gateway = start(model(endpoint.url, max_usd=10 * PRICE))
    gateway.context = context
    with ThreadPoolExecutor(30) as pool:
        outcomes = [pool.submit(ask, gateway, f"text {number}", max_tokens=10) for number in range(30)]
    errors = [outcome.exception() for outcome in outcomes if outcome.exception() is not None]
    assert 8 <= len(endpoint.asked) <= 10
    assert len(errors) == 30 - len(endpoint.asked)
    assert all("max_usd 1.2 is reached" in str(error) for error in errors)
    assert gateway.stop is not None
    assert gateway.usage(context).cost_usd == pytest.approx(len(endpoint.asked) * PRICE)


def test_failures_that_reached_the_endpoint_count_as_calls(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = refuse(500)
    gateway = start(model(endpoint.url, max_calls=1, max_attempts=1))
    with pytest.raises(openai.InternalServerError, match="answered 500"):
        ask(gateway)
    with pytest.raises(openai.APIStatusError, match="max_calls"):
        ask(gateway)
