"""Endpoints that refuse for good: the configuration ends at its first call, with the endpoint's own reason."""

from pathlib import Path
from typing import Any

import openai
import pytest

from lethe.gateway.server import Gateway
from tests.endpoints.table import behaviour
from tests.gateway.conftest import StartGateway, ask, content, model
from tests.support.gateway_logs import rows
from tests.support.scripted_endpoint import ScriptedEndpoint, body, refusal, takes

NO_QUOTA = {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"}
NO_PARAMETER = {
    "message": "Unsupported parameter: 'max_tokens' is not supported with this model.",
    "code": "unsupported_parameter",
    "param": "max_tokens",
}
LIMIT = {"message": "Rate limit reached for requests", "code": "rate_limit_exceeded"}
TOO_LONG = {"message": "maximum context length is 4096 tokens; reduce max_tokens", "code": "context_length_exceeded"}


def ends_with(gateway: Gateway, endpoint: ScriptedEndpoint, *words: str) -> None:
    """The first call ends the configuration after one request, with one line that has these words."""
    with pytest.raises(openai.APIStatusError):
        ask(gateway, max_tokens=10)
    assert len(endpoint.asked) == 1
    assert gateway.stop is not None and "\n" not in gateway.stop
    assert not [word for word in words if word not in gateway.stop], gateway.stop


@behaviour("429 `insufficient_quota`, 402, or no credit by another name")
@pytest.mark.parametrize(
    ("status", "said", "word"),
    [
        (429, {"error": NO_QUOTA}, "exceeded your current quota"),
        (402, {"error": {"message": "Insufficient Balance"}}, "Insufficient Balance"),
        (400, {"error": {"message": "Your credit balance is too low"}}, "credit balance"),
        (400, {"error": {"message": "Budget has been exceeded!", "type": "budget_exceeded", "code": "400"}}, "Budget"),
        (429, {"error": {"message": "ExceededBudget: User u has exceeded their budget."}}, "exceeded their budget"),
        (403, {"error": "Your team has reached its monthly spending limit."}, "spending limit"),
    ],
)
def test_no_money(start: StartGateway, endpoint: ScriptedEndpoint, status: int, said: Any, word: str) -> None:
    endpoint.otherwise = refusal(status, said)
    ends_with(start(model(endpoint.url)), endpoint, f"answered {status}", word)


@behaviour("a wrong key (401, 403)")
def test_a_wrong_key(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = refusal(401, {"error": {"message": "Incorrect API key provided"}})
    ends_with(start(model(endpoint.url)), endpoint, "Incorrect API key provided", "check the key in SCRIPTED_API_KEY")


@behaviour("a limit of tokens that is refused as too large")
@pytest.mark.parametrize(
    "said",
    [
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8]",
        "max_tokens: 10 > 8, which is the maximum allowed number of output tokens for this model",
    ],
)
def test_a_limit_that_is_too_large_is_not_sent_by_another_name(
    start: StartGateway, endpoint: ScriptedEndpoint, capfd: pytest.CaptureFixture[str], said: str
) -> None:
    endpoint.otherwise = refusal(400, {"error": {"message": said}})
    ends_with(start(model(endpoint.url)), endpoint, said)
    assert capfd.readouterr().err == ""


@behaviour("a parameter that is refused by name")
def test_an_unsupported_parameter(
    start: StartGateway, endpoint: ScriptedEndpoint, capfd: pytest.CaptureFixture[str]
) -> None:
    endpoint.otherwise = takes("messages", "model", "max_completion_tokens")
    gateway = start(model(endpoint.url))
    assert content(ask(gateway, max_tokens=10, temperature=0)) == "yes"
    assert content(ask(gateway, "again", max_tokens=10, temperature=0)) == "yes"
    sent = [sorted(asked.keys() - {"messages", "model"}) for asked in endpoint.asked]
    assert sent[-2:] == [["max_completion_tokens"]] * 2 and len(sent) == 4
    said = capfd.readouterr().err
    assert "refuses max_tokens; max_completion_tokens is sent in its place" in said
    assert said.count("refuses temperature; it is left out from here on (drop: [temperature] in its entry)") == 1


@behaviour("an endpoint that takes a limit by neither name")
def test_no_limit_at_all(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = takes("messages", "model")
    gateway = start(model(endpoint.url))
    assert content(ask(gateway, max_tokens=10)) == "yes"
    assert len(endpoint.asked) == 3
    assert content(ask(gateway, "again", max_tokens=10)) == "yes"
    assert len(endpoint.asked) == 4


@behaviour("the same, and an entry with `max_usd`")
def test_no_limit_and_a_cap(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = takes("messages", "model")
    gateway = start(model(endpoint.url, max_usd=1.0))
    with pytest.raises(openai.APIStatusError, match="takes no limit of an answer's length"):
        ask(gateway, max_tokens=10)
    assert len(endpoint.asked) == 2 and gateway.stop is not None


@behaviour("only redirects, or errors with status 200, from the first call on")
@pytest.mark.parametrize(
    "always",
    [body("", 307, {"location": "https://elsewhere.invalid/v1"}), body('{"error": {"message": "no", "code": 502}}')],
    ids=["redirects", "errors with status 200"],
)
def test_what_never_answers_is_given_up(start: StartGateway, endpoint: ScriptedEndpoint, always: Any) -> None:
    endpoint.otherwise = always
    gateway = start(model(endpoint.url, max_attempts=1))
    for number in range(4):
        with pytest.raises(openai.APIError):
            ask(gateway, str(number), max_tokens=10)
        assert (gateway.stop is not None) is (number >= 2)


@behaviour("a refusal whose reason UTF-8 cannot encode")
@pytest.mark.parametrize("status", [400, 401, 500])
def test_a_lone_surrogate_in_a_reason(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, status: int
) -> None:
    endpoint.otherwise = refusal(status, {"error": {"message": "no \ud800"}})
    with pytest.raises(openai.APIStatusError, match=f"answered {status} .no ?"):
        ask(start(model(endpoint.url, max_attempts=1)), max_tokens=10)
    (call,) = rows(cache, "calls")
    assert f"answered {status} (no ?)" in call["error"] and call["cost_usd"] == 0


@behaviour("a reasoning model, with `preset: openai_reasoning`")
def test_a_reasoning_model(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = takes("messages", "model", "max_completion_tokens", "response_format")
    gateway = start(model(endpoint.url, preset="openai_reasoning", max_usd=5.0))
    for text in ("one", "two"):
        assert content(ask(gateway, text, max_tokens=10, temperature=0, top_p=1)) == "yes"
    assert [asked["max_completion_tokens"] for asked in endpoint.asked] == [10, 10]


@behaviour("`base_url` that ends in `/chat/completions`")
def test_an_address_of_the_method(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    for ending in ("/chat/completions", "/chat/completions/", "/"):
        assert content(ask(start(model(endpoint.url + ending)), ending)) == ending


@behaviour("`base_url` without `/v1` (404, 405, or a page for people)")
def test_an_address_without_a_version(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    with pytest.raises(openai.NotFoundError) as caught:
        ask(gateway := start(model(endpoint.url.removesuffix("/v1"))))
    assert f"models.scripted.base_url has no version, try {endpoint.url}" in str(caught.value)
    assert gateway.stop is not None
    endpoint.otherwise = body("<!doctype html><title>Chat</title>")
    with pytest.raises(openai.InternalServerError):
        ask(gateway := start(model(endpoint.url, max_attempts=1)), "of a page")
    assert gateway.stop is not None and "not JSON; check models.scripted.model" in gateway.stop


@behaviour("a model that the endpoint does not have (404)")
def test_an_unknown_model(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = refusal(404, {"error": 'model "endpoint-name" not found, try pulling it first'})
    ends_with(start(model(endpoint.url)), endpoint, "not found, try pulling it first", "check models.scripted.model")


REASONS = {
    "OpenAI": {"error": {"message": "THE REASON", "type": "t", "param": None, "code": None}},
    "Ollama": {"error": "THE REASON"},
    "Gemini": [{"error": {"code": 400, "message": "THE REASON", "status": "INVALID_ARGUMENT"}}],
    "vLLM": {"object": "error", "message": "THE REASON", "type": "BadRequestError", "param": None, "code": 400},
    "FastAPI": {"detail": "THE REASON"},
    "pydantic": {"detail": [{"type": "extra_forbidden", "loc": ["body", "x"], "msg": "THE REASON"}]},
    "OpenRouter": {"error": {"message": "Provider error", "metadata": {"raw": '{"error": {"message": "THE REASON"}}'}}},
    "Mistral": {"object": "error", "message": {"detail": [{"loc": ["body"], "msg": "THE REASON"}]}},
    "problem+json": {"title": "THE REASON", "status": 400},
    "several": {"errors": [{"message": "THE REASON"}, {"message": "another"}]},
    "a page": "<html><head><title>THE REASON</title></head><body>nginx</body></html>",
    "text": "THE REASON\n",
}


@behaviour("a reason in another form than OpenAI's")
@pytest.mark.parametrize("said", REASONS.values(), ids=REASONS)
def test_a_reason_in_any_form(start: StartGateway, endpoint: ScriptedEndpoint, said: Any) -> None:
    endpoint.otherwise = refusal(401, said)
    ends_with(start(model(endpoint.url)), endpoint, "THE REASON")


@behaviour("an empty refusal")
def test_an_empty_refusal(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = refusal(401, "")
    ends_with(start(model(endpoint.url)), endpoint, "answered 401 (Unauthorized)")


@behaviour("every call from the first on refused, answered with 429 or 5xx, or without content")
@pytest.mark.parametrize("status", [400, 503])
def test_three_refusals_from_the_first_on(start: StartGateway, endpoint: ScriptedEndpoint, status: int) -> None:
    endpoint.otherwise = refusal(status, {"error": {"message": "not today"}})
    gateway = start(model(endpoint.url, max_attempts=1))
    for number in range(3):
        assert gateway.stop is None
        with pytest.raises(openai.APIStatusError):
            ask(gateway, str(number))
    assert gateway.stop is not None and "not today" in gateway.stop


@behaviour("a refusal of one prompt (too long, flagged)")
def test_a_refusal_of_one_prompt(start: StartGateway, endpoint: ScriptedEndpoint, cache: Path) -> None:
    endpoint.script = [refusal(400, {"error": TOO_LONG}), refusal(403, {"error": "your input was flagged"})]
    gateway = start(model(endpoint.url))
    for text in ("too long", "flagged"):
        with pytest.raises(openai.APIStatusError):
            ask(gateway, text, max_tokens=10)
    assert gateway.stop is None and content(ask(gateway)) == "hello"
    assert [call["error"] is None for call in rows(cache, "calls")] == [False, False, True]


@behaviour("a rate limit (429), an overload (5xx)")
def test_what_passes_is_tried_again(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    endpoint.script = [
        refusal(429, {"error": LIMIT}),
        refusal(503, {"error": "overloaded"}),
        refusal(529, "overloaded"),
    ]
    gateway = start(model(endpoint.url))
    assert content(ask(gateway)) == "hello" and gateway.stop is None
    assert len(endpoint.asked) == 4
