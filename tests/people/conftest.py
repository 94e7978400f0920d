"""A scripted endpoint that judges and drafts by reading the prompt's JSON block; no model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from forgeteval.cases.case import Case
from forgeteval.cases.interchange import case_from_json
from lethe.config.chat_models import ModelConfig
from lethe.gateway.server import Gateway
from tests.gateway.conftest import cache, dead_url, endpoint, server
from tests.support.example_cases import other_case, sound_case
from tests.support.scripted_endpoint import Behaviour, completion

__all__ = ["cache", "dead_url", "endpoint", "server"]

CONDITIONS = ("must_contain_survive", "forbidden_absent", "answerable")


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)


@pytest.fixture
def cases() -> list[Case]:
    rows = [sound_case(), other_case(provenance="core")]
    return [case_from_json(row, "s", "here", "expansion") for row in rows]


@pytest.fixture
def open_gateway(cache: Path) -> Callable[..., Gateway]:
    def make(*models: ModelConfig, mode: Any = "live") -> Gateway:
        return Gateway({model.name: model for model in models}, cache, mode)

    return make


def judge_model(url: str, **options: Any) -> ModelConfig:
    entry = {"label": "Judge", "family": "other", "base_url": url, "model": "m", "timeout_s": 5.0, "max_attempts": 1}
    return ModelConfig.from_config("j", {**entry, **options})


def block_of(prompt: str) -> Any:
    """What stands in the last part of a prompt, its one fenced block of JSON."""
    return json.loads(prompt.rpartition("```json\n")[2].removesuffix("\n").removesuffix("```"))


def verdict(admit: bool, **changes: object) -> str:
    return json.dumps({"admit": admit, **dict.fromkeys(CONDITIONS, admit), "reason": "Because.", **changes})


def answering(choose: Callable[[str], str]) -> Behaviour:
    """Answer what `choose` makes of the prompt."""

    async def behave(asked: dict[str, Any]) -> Response:
        answer = completion(choose(asked["messages"][-1]["content"]))
        return Response(json.dumps(answer), media_type="application/json")

    return behave


def rejects_walnuts(prompt: str) -> str:
    """A judge that dislikes one fact."""
    return verdict(not any("walnuts" in fact for fact in block_of(prompt)["setup_facts"]))
