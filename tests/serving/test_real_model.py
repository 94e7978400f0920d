"""The smallest shipped model, from its package, answering through the gateway."""

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from jsonschema import Draft202012Validator

from forgeteval.planners.llm.client import chat_client
from forgeteval.planners.llm.contracts import matches_contract
from forgeteval.planners.llm.planner import build_prompt
from lethe.config.chat_models import ModelConfig
from lethe.environments.build import build_environment
from lethe.gateway.context import call_headers
from lethe.gateway.server import Gateway
from lethe.jobs.services import chat_options, gateway_endpoint
from lethe.serving.locating import ENVIRONMENT, Prepared, served
from lethe.serving.weights import prepare_weights
from tests.support.config import load
from tests.support.gateway_logs import rows
from tests.support.paths import ENVIRONMENTS, ROOT

NAME = "smollm2-135m"
CANDIDATES = ["Ana's locker code is 4417.", "The canteen closes at three.", "Ben's locker code is 9020."]
ASKED = [
    (task, {"target": target, "candidates": [{"index": i, "text": text} for i, text in enumerate(CANDIDATES)]})
    for task, target in (("purge_match", "4417"), ("release_match", "Ben's locker code"))
]
CONTRACT = matches_contract(len(CANDIDATES))

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model() -> ModelConfig:
    options = {**load("models.yaml")["models"][NAME], "max_tokens": 128}
    return ModelConfig.from_config(NAME, options)


@pytest.fixture(scope="module")
def prepared(model: ModelConfig, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prepared]:
    """The weights and the server's environment, which are built once for all test runs."""
    freeze = ENVIRONMENTS / f"{ENVIRONMENT}.freeze.txt"
    if not freeze.exists():
        build_environment(ROOT / f"envs/{ENVIRONMENT}.lock", ENVIRONMENTS / ENVIRONMENT, freeze)
    description = ENVIRONMENTS / "weights" / f"{NAME}.json"
    assert model.serve is not None
    prepare_weights(NAME, model.serve, ROOT, description)
    yield Prepared(description, ENVIRONMENTS, tmp_path_factory.mktemp("logs"))


def answers(model: ModelConfig, prepared: Prepared, cache: Path) -> list[str]:
    """What the model says to each question, by a server of its own."""
    with served(model, prepared) as addresses, Gateway({NAME: model}, cache, "live", served=addresses) as gateway:
        ask = chat_client(
            chat_options(model), gateway_endpoint(gateway, model), lambda purpose: call_headers(gateway.token, purpose)
        )
        return [ask(task, build_prompt(task, inputs), CONTRACT) for task, inputs in ASKED]


def test_answers_keep_the_grammar_and_come_again(model: ModelConfig, prepared: Prepared, tmp_path: Path) -> None:
    said = answers(model, prepared, tmp_path / "one.sqlite")
    for text in said:
        broken = {error.validator for error in Draft202012Validator(CONTRACT).iter_errors(json.loads(text))}
        assert broken <= {"uniqueItems"}, "the one rule that no grammar of llama.cpp's knows"
    assert answers(model, prepared, tmp_path / "other.sqlite") == said
    kept = rows(tmp_path / "one.sqlite", "answers")
    assert {json.loads(row["response"])["model"] for row in kept} == {model.model}
    assert str(ENVIRONMENTS) not in json.dumps(kept)


def test_strangers_are_not_answered(model: ModelConfig, prepared: Prepared) -> None:
    with served(model, prepared) as addresses:
        address = addresses[NAME]()
        parts = urlsplit(address.base_url)
        assert parts.hostname == "127.0.0.1"
        connection = http.client.HTTPConnection(parts.hostname, parts.port or 0, timeout=30)
        body = json.dumps({"messages": [{"role": "user", "content": "hello"}], "max_tokens": 1})
        connection.request("POST", f"{parts.path}/chat/completions", body, {"Content-Type": "application/json"})
        assert connection.getresponse().status == http.client.UNAUTHORIZED
        connection.close()
        assert str(address.key) not in (prepared.logs / f"{NAME}.log").read_text(encoding="utf-8")
