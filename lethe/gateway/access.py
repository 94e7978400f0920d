"""A run's access to one chat model: what the hook in a worker needs of a gateway, and what its trials cost."""

from collections.abc import Mapping
from typing import Any

from lethe.gateway.context import CallContext
from lethe.gateway.models import ModelConfig
from lethe.gateway.server import Gateway
from lethe.gateway.usage import usage_columns

_CALLS_A_CASE = 8
"""Four mutations with a repair each: what the patience for one case is reckoned by."""


class ModelAccess:
    """`lethe.forgeteval.runner.ChatAccess` over a gateway that is up."""

    def __init__(self, gateway: Gateway, model: ModelConfig) -> None:
        self._gateway, self._model = gateway, model

    @property
    def stop(self) -> str | None:
        """Why the run has to stop, else None."""
        return self._gateway.stop

    @property
    def lanes(self) -> int:
        """Trials that may wait for the model at once: as many as requests."""
        return self._model.concurrency

    @property
    def patience_s(self) -> float:
        """Seconds that a case may take beyond its own limit while the gateway tries and tries again."""
        return _CALLS_A_CASE * self._answer_s

    def hook(self) -> dict[str, Any]:
        """The arguments of `lethe.hooks.client.chat_client` but for the headers."""
        return {
            "url": self._gateway.url,
            "token": self._gateway.token,
            "model": self._model.name,
            "temperature": self._model.temperature,
            "max_tokens": self._model.max_tokens,
            "timeout_s": self._answer_s,
        }

    def usage(self, row: Mapping[str, Any]) -> dict[str, int | float]:
        """Calls, tokens and cost of a trial, by the names of the trial's columns."""
        context = CallContext(row["suite"], row["system"], row["case_id"], row["repetition"])
        return usage_columns(self._gateway.usage(context))

    def respond(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Never asked: the worker has the gateway's URL."""
        raise AssertionError("a hook with a URL asks there")

    @property
    def _answer_s(self) -> float:
        """Seconds that one answer may take: every attempt to its limit, as long again for waits between them."""
        return 2 * self._model.timeout_s * self._model.max_attempts
