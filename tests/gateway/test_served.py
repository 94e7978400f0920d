"""Models that are served on this machine, as the gateway asks them: their server is found at the first call."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import openai
import pytest

from forgeteval.errors import UserError
from lethe.config.chat_models import ModelConfig
from lethe.gateway.addresses import Address, Locate
from lethe.gateway.requests import ChatRequest
from lethe.gateway.server import Gateway
from tests.gateway.conftest import ask, content
from tests.support.gateway_logs import rows
from tests.support.scripted_endpoint import ScriptedEndpoint, answer

TOKEN = "the-token-of-the-server"
SUM = "1d" * 32
ENTRY: dict[str, Any] = {
    "family": "f",
    "serve": {"weights": "my.gguf", "sha256": SUM, "context": 512, "threads": 1},
}
MODEL = ModelConfig.from_config("scripted", ENTRY)


class Located:
    """Says where the endpoint is, place after place, and counts how often it was asked."""

    def __init__(self, *places: str | UserError) -> None:
        self.places, self.asked = list(places), 0

    def __call__(self) -> Address:
        place = self.places[min(self.asked, len(self.places) - 1)]
        self.asked += 1
        if isinstance(place, UserError):
            raise place
        return Address(place, TOKEN)


def gateway(cache: Path, located: Locate) -> Gateway:
    return Gateway({"scripted": MODEL}, cache, "live", served={"scripted": located})


def test_an_entry_goes_by_its_weights() -> None:
    assert MODEL.model == f"gguf-sha256:{SUM}"
    assert (MODEL.concurrency, MODEL.structured, MODEL.base_url) == (1, "schema", "")
    chosen = ModelConfig.from_config("m", {**ENTRY, "concurrency": 3, "structured": "none"})
    assert (chosen.concurrency, chosen.structured) == (3, "none")


def test_weights_decide_the_key_and_threads_and_names_do_not() -> None:
    def key(name: str = "m", repetition: int = 0, sha256: str = SUM, **changes: Any) -> str:
        serve = {**ENTRY["serve"], **changes, "weights": "other.gguf", "sha256": sha256}
        model = ModelConfig.from_config(name, {"family": "f", "serve": serve})
        return ChatRequest.build(model, {"model": name, "messages": [{"role": "user", "content": "q"}]}, repetition).key

    assert key() == key("n", context=1024, threads=8)
    assert len({key(), key(sha256="2e" * 32), key(repetition=1)}) == 3


def sent(most_tokens: int | None = None, repetition: int = 0, **asked: Any) -> Mapping[str, Any]:
    """What the model is asked, without its name and the messages."""
    limit = {} if most_tokens is None else {"most_tokens": most_tokens}
    model = ModelConfig.from_config("m", {**ENTRY, **limit})
    request = {"model": "m", "messages": [{"role": "user", "content": "q"}], **asked}
    fields = ChatRequest.build(model, request, repetition).fields
    return {name: value for name, value in fields.items() if name not in ("model", "messages")}


@pytest.mark.parametrize(
    ("asked", "limits"),
    [
        ({}, {"max_tokens": 100}),
        ({"max_tokens": None}, {"max_tokens": 100}),
        ({"max_tokens": 99}, {"max_tokens": 99}),
        ({"max_tokens": 2048}, {"max_tokens": 100}),
        ({"max_completion_tokens": 2048}, {"max_completion_tokens": 100}),
        ({"max_tokens": 5, "max_completion_tokens": 2048}, {"max_tokens": 5, "max_completion_tokens": 100}),
    ],
)
def test_no_answer_is_longer_than_the_model_may(asked: dict[str, Any], limits: dict[str, int]) -> None:
    assert sent(100, **asked) == {"seed": 0, **limits}
    assert sent(**asked) == {"seed": 0, **asked}


def test_a_seed_of_null_is_none() -> None:
    assert sent(repetition=3, seed=None) == sent(repetition=3) == {"seed": 3}
    assert sent(repetition=3, seed=7) == {"seed": 7}


def test_the_server_is_found_at_the_first_call(endpoint: ScriptedEndpoint, cache: Path) -> None:
    located = Located(endpoint.url)
    with gateway(cache, located) as opened:
        assert located.asked == 0
        assert [content(ask(opened, text)) for text in ("one", "two", "one")] == ["one", "two", "one"]
    assert located.asked == 1
    assert {headers["authorization"] for headers in endpoint.headers} == {f"Bearer {TOKEN}"}
    assert [asked["seed"] for asked in endpoint.asked] == [0, 0]
    assert {asked["model"] for asked in endpoint.asked} == {MODEL.model}


def test_a_server_that_ended_is_found_again(
    endpoint: ScriptedEndpoint, cache: Path, dead_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    located = Located(dead_url, endpoint.url)
    with gateway(cache, located) as opened:
        assert content(ask(opened)) == "hello"
    assert located.asked == 2


def test_a_server_that_cannot_start_stops_the_run_with_its_reason(cache: Path) -> None:
    with gateway(cache, Located(UserError("model scripted: its server cannot be started: no memory"))) as opened:
        with pytest.raises(openai.InternalServerError, match="cannot be started: no memory"):
            ask(opened)
        assert opened.stop == "model scripted: its server cannot be started: no memory"


def test_an_answer_cut_off_is_kept_since_it_would_come_again(endpoint: ScriptedEndpoint, cache: Path) -> None:
    endpoint.otherwise = answer("and so on and", finish_reason="length")
    with gateway(cache, Located(endpoint.url)) as opened:
        ask(opened)
        ask(opened)
    assert len(endpoint.asked) == 1
    assert [row["finish_reason"] for row in rows(cache, "answers")] == ["length"]


def test_the_token_is_kept_nowhere(endpoint: ScriptedEndpoint, cache: Path) -> None:
    endpoint.otherwise = answer(f"my key is {TOKEN}")
    with gateway(cache, Located(endpoint.url)) as opened:
        assert content(ask(opened)) == "my key is [redacted]"
    assert TOKEN not in json.dumps([rows(cache, name) for name in ("answers", "calls")])
