"""Requests that would get round a cap, and answers whose cost nobody says."""

import contextlib
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import openai
import pytest

from forgeteval.errors import UserError
from lethe.gateway.requests import ChatRequest
from lethe.gateway.server import CallContext
from tests.endpoints.table import behaviour
from tests.gateway.conftest import PRICE, StartGateway, ask, client, model
from tests.support.gateway_logs import rows
from tests.support.scripted_endpoint import Behaviour, ScriptedEndpoint, answer, body, completion, echo, takes

CASE = CallContext("few", "lethe+llm", "c0", 0, "supersede")
EVASIONS: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    ({}, {"max_tokens": 100}),
    ({"max_completion_tokens": -1}, {"max_completion_tokens": 100}),
    ({"max_tokens": 0}, {"max_tokens": 100}),
    ({"max_tokens": 5000.5, "max_completion_tokens": 5}, {"max_tokens": 100, "max_completion_tokens": 5}),
    ({"max_tokens": "5000"}, {"max_tokens": 100}),
    ({"max_tokens": True}, {"max_tokens": 100}),
    ({"n_predict": 5000}, {"n_predict": 100, "max_tokens": 100}),
    ({"max_tokens": 5, "n_predict": -1}, {"max_tokens": 5, "n_predict": 100}),
    ({"max_tokens": 5, "n": 128}, {"max_tokens": 5, "n": 1}),
    ({"max_tokens": 5, "best_of": 9}, {"max_tokens": 5, "best_of": 1}),
)


@behaviour("a system that asks for more than `most_tokens`, in whatever field and form")
@pytest.mark.parametrize(("asked", "sent"), EVASIONS, ids=str)
def test_no_answer_is_longer(
    start: StartGateway, endpoint: ScriptedEndpoint, asked: dict[str, Any], sent: dict[str, Any]
) -> None:
    ask(start(model(endpoint.url, most_tokens=100)), extra_body=asked)
    (found,) = endpoint.asked
    assert {name: value for name, value in found.items() if name not in ("model", "messages")} == sent
    assert all(type(found[name]) is int for name in sent)


@behaviour("an answer whose cost the endpoint does not say")
def test_no_usage_counts_as_the_most_it_may_cost(start: StartGateway, endpoint: ScriptedEndpoint, cache: Path) -> None:
    endpoint.script = [body(json.dumps({**completion(), "usage": None}))]
    ask(start(model(endpoint.url, max_usd=1.0)), max_tokens=100)
    (call,) = rows(cache, "calls")
    assert call["spent"] and call["tokens_in"] is None and 0.2 < call["cost_usd"] < 0.5


def used(tokens_in: int, tokens_out: int, **message: Any) -> Behaviour:
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}
    return body(json.dumps({**completion(**message), "usage": usage}))


CALLS = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]


@behaviour("an answer that is said to have taken no token of prompt, or none of its own where it says something")
@pytest.mark.parametrize(
    ("script", "counted"),
    [
        (used(0, 0), (None, None)),
        (used(0, 10), (None, 10)),
        (used(100, 0), (100, None)),
        (used(100, 0, content=None, tool_calls=CALLS), (100, None)),
        (used(100, 0, content="", reasoning_content="Well."), (100, None)),
        (used(100, 0, content=""), (100, 0)),
    ],
)
def test_usage_of_nothing_is_none(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, script: Behaviour, counted: tuple[int, int]
) -> None:
    endpoint.script = [script]
    gateway = start(model(endpoint.url, max_usd=1.0))
    ask(gateway, context=CASE, max_tokens=100)
    (call,) = rows(cache, "calls")
    assert (call["tokens_in"], call["tokens_out"]) == counted
    assert gateway.usage(CASE).unreported == (None in counted)
    assert 0.2 < call["cost_usd"] < 0.5 if None in counted else call["cost_usd"] == pytest.approx(0.1)


@pytest.mark.parametrize("said_usage", [used(0, 0), used(0, 10), used(100, 0)])
def test_a_cap_holds_where_no_answer_is_said_to_cost_anything(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, said_usage: Behaviour
) -> None:
    endpoint.otherwise = said_usage
    gateway = start(model(endpoint.url, max_usd=0.76))
    with pytest.raises(openai.APIStatusError, match=r"max_usd 0\.76 is reached"):
        for number in range(9):
            ask(gateway, f"question {number}", max_tokens=100)
    assert 1 <= len(endpoint.asked) < 9
    assert sum(call["cost_usd"] for call in rows(cache, "calls") if call["spent"]) <= 0.76


UNREPORTED = body(json.dumps({**completion(), "usage": None}))
HALF_REPORTED = body(json.dumps({**completion(), "usage": {"prompt_tokens": 100}}))
LATE = answer(delay_s=3)


@pytest.mark.parametrize(
    ("script", "least"),
    [
        ([answer()], PRICE),
        ([UNREPORTED], 0.2),
        ([HALF_REPORTED], 0.3),
        ([LATE, answer()], PRICE + 0.2),
        ([LATE, UNREPORTED], 2 * 0.2),
        ([LATE, LATE], 2 * 0.2),
    ],
    ids=["reported", "unreported", "half reported", "broken off, reported", "broken off, unreported", "broken off"],
)
def test_a_trial_costs_what_is_logged_of_it(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, script: list[Behaviour], least: float
) -> None:
    endpoint.script = list(script)
    gateway = start(model(endpoint.url, timeout_s=0.5, max_attempts=2))
    with contextlib.suppress(openai.APIStatusError):
        ask(gateway, context=CASE, max_tokens=100)
    (call,) = rows(cache, "calls")
    used = gateway.usage(CASE)
    assert (used.calls, used.cost_usd) == (1, call["cost_usd"]) and call["cost_usd"] >= least
    assert used.unreported == (script[-1] in (UNREPORTED, HALF_REPORTED))


def test_an_unreported_answer_that_is_kept_costs_the_same_again(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path
) -> None:
    endpoint.script = [UNREPORTED]
    first = start(model(endpoint.url))
    ask(first, context=CASE, max_tokens=100)
    replaying = start(model(endpoint.url), mode="replay")
    ask(replaying, context=CASE, max_tokens=100)
    assert first.usage(CASE) == replaying.usage(CASE) and first.usage(CASE).cost_usd > 0.2
    assert [(call["cost_usd"], call["spent"]) for call in rows(cache, "calls")] == [
        (first.usage(CASE).cost_usd, 1),
        (first.usage(CASE).cost_usd, 0),
    ]


def test_who_waits_for_the_call_of_another_pays_as_the_log_says(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path
) -> None:
    endpoint.otherwise = LATE
    gateway, other = start(model(endpoint.url, timeout_s=0.5, max_attempts=1)), replace(CASE, case_id="other")

    def one(context: CallContext) -> None:
        with contextlib.suppress(openai.APIStatusError):
            ask(gateway, context=context, max_tokens=100)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, (CASE, other)))
    assert len(endpoint.asked) == 1
    costs = {call["case_id"]: call["cost_usd"] for call in rows(cache, "calls")}
    assert costs == {each.case_id: gateway.usage(each).cost_usd for each in (CASE, other)}
    assert sum(costs.values()) > 0.2


@behaviour("tokens of reasoning that an endpoint names in the total alone")
def test_reasoning_counts(start: StartGateway, endpoint: ScriptedEndpoint, cache: Path) -> None:
    used = {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 1021}
    endpoint.script = [body(json.dumps({**completion(), "usage": used}))]
    ask(start(model(endpoint.url, max_usd=9.0)), max_tokens=2000)
    (call,) = rows(cache, "calls")
    assert (call["tokens_in"], call["tokens_out"]) == (9, 1012)


@behaviour("an image or a file in a message, whose cost its letters do not show")
def test_only_texts_are_asked(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    with client(start(model(endpoint.url, max_usd=1.0))) as chat:
        parts: Any = [
            {"type": "text", "text": "x"},
            {"type": "image_url", "image_url": {"url": "https://x.test/a.png"}},
        ]
        with pytest.raises(openai.BadRequestError, match="the parts of a message must be texts"):
            chat.chat.completions.create(model="scripted", messages=[{"role": "user", "content": parts}])
        chat.chat.completions.create(model="scripted", messages=[{"role": "user", "content": parts[:1]}], max_tokens=5)
    assert len(endpoint.asked) == 1


@behaviour("calls that break off, which may be charged all the same")
def test_what_broke_off_counts(start: StartGateway, endpoint: ScriptedEndpoint, cache: Path) -> None:
    endpoint.script = [answer(delay_s=3)] * 2
    gateway = start(model(endpoint.url, timeout_s=0.3, max_attempts=2, max_usd=2.0))
    with pytest.raises(openai.APIStatusError, match="timed out"):
        ask(gateway, max_tokens=100)
    (call,) = rows(cache, "calls")
    assert call["spent"] and 2 * 0.2 < call["cost_usd"] < 2 * 0.5
    endpoint.script = [answer(delay_s=3)]
    ask(gateway, max_tokens=1)
    assert rows(cache, "calls")[-1]["cost_usd"] > PRICE + 0.05, "the attempt before it as well"


@behaviour("attempts that break off, for all of which a cap has no room")
def test_a_cap_holds_for_attempts(start: StartGateway, endpoint: ScriptedEndpoint, cache: Path) -> None:
    endpoint.otherwise = answer(delay_s=3)
    gateway = start(model(endpoint.url, timeout_s=0.3, max_attempts=5, max_usd=1.0))
    with pytest.raises(openai.APIStatusError, match="timed out"):
        ask(gateway, max_tokens=100)
    (call,) = rows(cache, "calls")
    assert len(endpoint.asked) == call["attempts"] < 5 and 0.5 < call["cost_usd"] <= 1.0
    with pytest.raises(openai.APIStatusError):
        ask(gateway, "again", max_tokens=100)
    assert sum(each["cost_usd"] for each in rows(cache, "calls")) <= 1.0


def test_what_broke_off_before_a_refusal_counts_too(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path
) -> None:
    refuses = takes("messages", "model", "max_tokens")
    endpoint.script = [answer(delay_s=3), refuses, answer(delay_s=3), answer()]
    gateway = start(model(endpoint.url, timeout_s=0.5, max_attempts=3, max_usd=2.0))
    ask(gateway, max_tokens=100, temperature=0)
    (call,) = rows(cache, "calls")
    assert call["attempts"] == 4 and 2 * 0.2 < call["cost_usd"] < 2 * 0.5


def test_an_endpoint_whose_limit_is_not_known_reserves_a_long_answer(endpoint: ScriptedEndpoint) -> None:
    entry = model(endpoint.url, max_usd=1.0, rename={"max_tokens": "max_length"})
    asked = {"model": "scripted", "messages": [{"role": "user", "content": "x"}], "max_tokens": 5}
    assert ChatRequest.build(entry, asked, 0).most_usd > 16_384 * 2000 / 1e6


@behaviour("answers dearer than those before them, many at once")
def test_what_calls_may_cost_is_reserved(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = echo(delay_s=0.05)
    gateway = start(model(endpoint.url, max_usd=3.0, concurrency=16))
    ask(gateway, max_tokens=1)
    dear = {**completion(), "usage": {"prompt_tokens": 10, "completion_tokens": 1000}}
    endpoint.otherwise = body(json.dumps(dear), delay_s=0.05)
    with client(gateway) as chat, ThreadPoolExecutor(16) as pool:

        def one(number: int) -> None:
            messages: Any = [{"role": "user", "content": str(number)}]
            with pytest.raises(openai.APIStatusError, match="max_usd 3 is reached"):
                chat.chat.completions.create(model="scripted", messages=messages, max_tokens=1000)
                raise openai.OpenAIError

        list(pool.map(lambda number: _answered(one, number), range(16)))
    assert len(endpoint.asked) == 2, "the cheap one, and one of those that may cost 2 USD"


def _answered(one: Any, number: int) -> None:
    try:
        one(number)
    except openai.OpenAIError:
        return


@behaviour("an entry with `max_usd` or `most_tokens` that drops the limit of an answer")
@pytest.mark.parametrize("cap", [{"max_usd": 1.0}, {"most_tokens": 100}], ids=str)
@pytest.mark.parametrize(
    "drops",
    [
        {"drop": ["max_tokens"]},
        {"drop": ["temperature", "max_completion_tokens"]},
        {"drop": ["max_completion_tokens"], "preset": "openai_reasoning"},
        {"drop": ["max_tokens"], "preset": "vllm"},
    ],
    ids=str,
)
def test_a_cap_without_a_limit(endpoint: ScriptedEndpoint, cap: dict[str, Any], drops: dict[str, Any]) -> None:
    (name,) = cap
    model(endpoint.url, **drops)
    with pytest.raises(UserError, match=rf"models\.scripted\.drop: max\w+ limits an answer, without which {name} "):
        model(endpoint.url, **cap, **drops)


def test_a_limit_that_goes_by_another_name_is_none_that_is_dropped(endpoint: ScriptedEndpoint) -> None:
    entry = model(endpoint.url, max_usd=1.0, drop=["max_tokens"], preset="openai_reasoning")
    asked = {"model": "scripted", "messages": [{"role": "user", "content": "x"}], "max_tokens": 5}
    assert ChatRequest.build(entry, asked, 0).fields["max_completion_tokens"] == 5


def test_a_renamed_limit_that_is_refused_ends_the_configuration(
    start: StartGateway, endpoint: ScriptedEndpoint
) -> None:
    endpoint.otherwise = takes("messages", "model")
    gateway = start(model(endpoint.url, max_usd=1000.0, rename={"max_tokens": "max_length"}))
    with pytest.raises(openai.BadRequestError, match="takes no limit of an answer's length"):
        ask(gateway, max_tokens=5)
    assert gateway.stop is not None and len(endpoint.asked) == 1


@behaviour("an entry with `max_usd` and no price")
def test_a_cap_without_a_price(endpoint: ScriptedEndpoint) -> None:
    with pytest.raises(UserError, match=r"models\.scripted\.max_usd: caps nothing without a price"):
        model(endpoint.url, max_usd=1.0, usd_per_million_in=0.0, usd_per_million_out=0.0)
