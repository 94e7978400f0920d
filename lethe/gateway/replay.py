"""A chat model in mode `replay` without a server in between: answers from the cache file alone."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lethe.gateway.cache import Cache, LoggedCall
from lethe.gateway.context import CallContext, Usage, UsageMeter
from lethe.gateway.errors import GatewayError
from lethe.gateway.models import ModelConfig
from lethe.gateway.requests import ChatRequest


class ReplayedChat:
    """The answers that a cache file holds for one model.

    Args:
        stops: whether a run ends where an answer is lacking; else the trial that lacks it breaks.

    Attributes:
        context: the trial that requests belong to; may be set at any time.
        missed: what the last request lacked: no answer fits it; the text names the case.
        stop: why the run has to stop, likewise.
    """

    def __init__(self, cache: Cache, model: ModelConfig, stops: bool = True) -> None:
        self.context = CallContext()
        self.missed = ""
        self.stop: str | None = None
        self._cache, self._model, self._meter, self._stops = cache, model, UsageMeter(), stops

    def complete(self, asked: Mapping[str, Any], purpose: str) -> dict[str, Any] | None:
        """The chat completion for a request; None, with what it lacked, where the cache has none."""
        context = replace(self.context, purpose=purpose)
        request = ChatRequest.build(self._model, asked, context.repetition)
        answer = self._cache.hit(LoggedCall.of(self._model, request, context))
        if answer is None:
            self.missed = replay_miss(context).message
            if self._stops:
                self.stop = self.missed
            self._meter.lack(context, self.missed)
            return None
        self._meter.add(context, answer.usage)
        completion: dict[str, Any] = json.loads(answer.response)
        return completion

    def usage(self, context: CallContext) -> Usage:
        """What the chat calls of a trial came to so far."""
        return self._meter.of(context)

    def lacking(self, context: CallContext) -> str | None:
        """The first answer that a trial lacks."""
        return self._meter.lacking(context)


def replay_miss(context: CallContext) -> GatewayError:
    """The error for a request that replay cannot answer; it names the case."""
    return GatewayError(
        404,
        "replay_miss",
        f"replay: the cache has no answer for suite {context.suite!r}, system {context.system!r}, "
        f"case {context.case_id!r}, repetition {context.repetition}, purpose {context.purpose!r}; run with mode live",
    )
