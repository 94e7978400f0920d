"""Answers that are none: empty, cut off, refused."""

from pathlib import Path

import pytest

from tests.endpoints.table import behaviour
from tests.gateway.conftest import StartGateway, ask, model
from tests.support.gateway_logs import rows
from tests.support.scripted_endpoint import Behaviour, ScriptedEndpoint, answer


@behaviour("null, empty or blank content with `stop`")
@pytest.mark.parametrize("empty", [answer(None), answer(""), answer(" \n")], ids=["null", "empty", "blank"])
def test_an_empty_answer_is_not_kept(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, empty: Behaviour
) -> None:
    endpoint.script = [empty]
    gateway = start(model(endpoint.url))
    ask(gateway)
    assert rows(cache, "answers") == []
    assert ask(gateway).choices[0].message.content == "hello"
    assert len(rows(cache, "answers")) == 1


@behaviour("an answer that was cut off, filtered or refused")
@pytest.mark.parametrize(
    "bad",
    [
        *(
            answer("half", reason)
            for reason in ("length", "model_length", "MAX_TOKENS", "SAFETY", "refusal", "sensitive")
        ),
        *(answer("half", reason) for reason in ("insufficient_system_resource", "guardrail_intervened", "ERROR_TOXIC")),
        answer("", "content_filter"),
        answer(None, "content_filter", reasoning_content="half"),
        answer(None, refusal="no"),
    ],
)
def test_a_broken_answer_is_not_kept(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, bad: Behaviour
) -> None:
    endpoint.script = [bad]
    ask(start(model(endpoint.url)))
    assert rows(cache, "answers") == []
