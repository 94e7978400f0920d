"""Runs of a system that asks a chat model, with answers that a test writes."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from forgeteval.cases.case import Case
from forgeteval.embed.embedder import CachedEmbedder
from lethe.config.chat_models import ModelConfig
from lethe.environments.build import interpreter
from lethe.folders import locked
from lethe.gateway.server import Gateway
from lethe.jobs.services import asking_system
from tests.support.bench import Bench, TopicEmbedder
from tests.support.paths import BUILDING, ENVIRONMENTS
from tests.support.scripted_endpoint import Behaviour, ScriptedEndpoint, ScriptedServer, completion

Answer = Callable[[Mapping[str, Any]], str | None]


def environment_python(name: str) -> Path:
    """The interpreter of an environment; the test is skipped where that is not built, nor being built."""
    with locked(BUILDING):
        is_built = (ENVIRONMENTS / f"{name}.freeze.txt").exists()
    if not is_built:
        pytest.skip(f"needs the environment {name}: `pytest tests/systems/test_contract.py` builds it")
    return interpreter(ENVIRONMENTS, name)


def answers(answer: Answer) -> Behaviour:
    """Answer each request with what `answer` makes of it."""

    async def behave(asked: dict[str, Any]) -> Response:
        return Response(json.dumps(completion(answer(asked))), media_type="application/json")

    return behave


class AskingBench:
    """One system's folder, an endpoint whose behaviour a test sets, and a gateway before it."""

    def __init__(self, folder: Path, endpoint: ScriptedEndpoint) -> None:
        self.endpoint, self._folder, self._runs = endpoint, folder, 0

    def run(self, cases: Sequence[Case], backend: str, environment: str, **settings: Any) -> list[dict[str, Any]]:
        """Run `cases` and keep their trials apart; the gateway's cache is that of the runs before."""
        python = environment_python(environment)
        options = {"family": "none", "base_url": self.endpoint.url, "model": "m", "timeout_s": 20.0, "max_attempts": 1}
        model = ModelConfig.from_config("scripted", options)
        embedder = CachedEmbedder({}, TopicEmbedder())
        self._runs += 1
        with Gateway({"scripted": model}, self._folder / "cache.sqlite", "live", embedder) as gateway:
            return Bench(self._folder / str(self._runs)).run(
                cases,
                backend,
                python=python,
                embedder=embedder,
                services=asking_system(gateway, model, hooked=False),
                limit_s=60.0,
                start_timeout_s=120.0,
                **settings,
            )


@contextmanager
def asking_bench(folder: Path) -> Iterator[AskingBench]:
    """A bench whose endpoint lives as long as the block."""
    server = ScriptedServer()
    try:
        yield AskingBench(folder, server.fresh())
    finally:
        server.stop()
