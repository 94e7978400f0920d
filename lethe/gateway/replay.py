"""A run's access to a chat model in mode `replay`: answers from the cache file, without a server in between."""

import json
from collections.abc import Mapping
from typing import Any

from lethe.gateway.cache import Cache
from lethe.gateway.calls import new_call, replay_miss, with_answer
from lethe.gateway.context import CallContext, UsageMeter, usage_columns
from lethe.gateway.models import ModelConfig
from lethe.gateway.requests import ChatRequest


class ReplayAccess:
    """`lethe.run.runner.ChatAccess` over a cache file. One lane: there is nothing to wait for.

    Attributes:
        stop: why the run has to stop: the cache lacks an answer; the text names the case.
    """

    asks_model = True
    lanes = 1
    patience_s = 0.0

    def __init__(self, cache: Cache, model: ModelConfig) -> None:
        self.stop: str | None = None
        self._cache, self._model, self._meter = cache, model, UsageMeter()

    def hook(self) -> dict[str, Any]:
        """What the worker needs to put its requests to this process: no URL."""
        return {
            "model": self._model.name,
            "temperature": self._model.temperature,
            "max_tokens": self._model.max_tokens,
        }

    def services(self) -> None:
        """A system that asks the gateway itself needs the server, which replays too."""

    def begin(self, trial: Mapping[str, Any]) -> None:
        """Each request of the hook says whose it is."""

    def respond(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Answer one request of the worker: `{"completion": ...}`, or `{"reason": ...}` where the cache has none."""
        key = asked["key"]
        context = CallContext(key["suite"], key["system"], key["case_id"], key["repetition"], asked["purpose"])
        request = ChatRequest.build(self._model, asked["ask"], context.repetition)
        call = new_call(self._model, request, context)
        answer = self._cache.find(request.key)
        if answer is None:
            self.stop = replay_miss(context).message
            return {"reason": self.stop}
        self._cache.log(with_answer(call, answer, cache_hit=True))
        self._meter.add(context, answer.tokens_in or 0, answer.tokens_out or 0, answer.cost_usd)
        return {"completion": json.loads(answer.response)}

    def usage(self, row: Mapping[str, Any]) -> dict[str, int | float]:
        """Calls, tokens and cost of a trial, by the names of the trial's columns."""
        context = CallContext(row["suite"], row["system"], row["case_id"], row["repetition"])
        return usage_columns(self._meter.of(context))
