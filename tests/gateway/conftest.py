"""A scripted endpoint, gateways in front of it, and clients of those."""

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest

from lethe.config.chat_models import ModelConfig
from lethe.gateway.chat import Mode
from lethe.gateway.context import PURPOSE_HEADER
from lethe.gateway.server import CallContext, Gateway
from tests.support.scripted_endpoint import ScriptedEndpoint, ScriptedServer

KEY = "sk-scripted-0123456789abcdef"
KEY_VARIABLE = "SCRIPTED_API_KEY"

StartGateway = Callable[..., Gateway]


class CountingEmbedder:
    """Unit vectors that tell texts apart by length: enough to see that the gateway hands them on."""

    dim = 3

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        vectors = np.array([[len(text), 1, 2] for text in texts], dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture(autouse=True)
def key_and_short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)


@pytest.fixture(scope="session")
def server() -> Iterator[ScriptedServer]:
    scripted = ScriptedServer()
    yield scripted
    scripted.stop()


@pytest.fixture
def endpoint(server: ScriptedServer) -> ScriptedEndpoint:
    return server.fresh()


@pytest.fixture
def dead_url() -> str:
    """An address where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "llm" / "cache.sqlite"


def model(url: str, **options: Any) -> ModelConfig:
    return ModelConfig.from_config(
        "scripted",
        {
            "label": "Scripted",
            "family": "none",
            "base_url": url,
            "model": "endpoint-name",
            "api_key_env": KEY_VARIABLE,
            "usd_per_million_in": 1000.0,
            "usd_per_million_out": 2000.0,
            "timeout_s": 5.0,
            **options,
        },
    )


PRICE = 0.12
"""US dollars of one scripted answer: 100 tokens in, 10 out."""


@pytest.fixture
def start(cache: Path) -> Iterator[StartGateway]:
    """Start a gateway on the test's cache file; all are stopped after the test."""
    with ExitStack() as stack:

        def start_gateway(*configs: ModelConfig, mode: Mode = "live") -> Gateway:
            gateway = Gateway({config.name: config for config in configs}, cache, mode, CountingEmbedder())
            return stack.enter_context(gateway)

        yield start_gateway


def client(gateway: Gateway, context: CallContext | None = None, **options: Any) -> openai.OpenAI:
    token = gateway.token if context is None else gateway.issue(context)
    headers = {} if context is None else {PURPOSE_HEADER: context.purpose}
    return openai.OpenAI(base_url=gateway.url, api_key=token, default_headers=headers, **{"max_retries": 0, **options})


def ask(gateway: Gateway, text: str = "hello", context: CallContext | None = None, **options: Any) -> Any:
    """One chat completion through the OpenAI client, which tries once."""
    with client(gateway, context) as chat:
        messages: Any = [{"role": "user", "content": text}]
        return chat.chat.completions.create(model="scripted", messages=messages, **options)


def content(answer: Any) -> str:
    text: str = answer.choices[0].message.content
    return text
