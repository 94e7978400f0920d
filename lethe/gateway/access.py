"""A run's access to the gateway: what the hook in a worker and the system itself need of it, and what trials cost."""

from collections.abc import Mapping
from typing import Any

from lethe.gateway.context import CallContext, usage_columns
from lethe.gateway.models import ModelConfig
from lethe.gateway.server import Gateway

_CALLS_A_CASE = 8
"""Four mutations with a repair each: what the patience for one case of a hook is reckoned by."""
_OWN_CALLS_A_CASE = 80
"""The same for a system that asks the model itself: eight facts, ten calls each (Graphiti makes the most)."""


class HookAccess:
    """`lethe.run.runner.ChatAccess` over a gateway that is up, for a chat model that plans the mutations."""

    asks_model = True

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
        return _CALLS_A_CASE * answer_s(self._model)

    def hook(self) -> dict[str, Any]:
        """The arguments of `lethe.planners.llm.client.chat_client` but for the headers."""
        return {
            "url": self._gateway.url,
            "token": self._gateway.token,
            "model": self._model.name,
            "temperature": self._model.temperature,
            "max_tokens": self._model.max_tokens,
            "timeout_s": answer_s(self._model),
        }

    def services(self) -> None:
        """None: the system asks nobody itself."""

    def begin(self, trial: Mapping[str, Any]) -> None:
        """Nothing to do: each request of the hook says whose it is."""

    def usage(self, row: Mapping[str, Any]) -> dict[str, int | float]:
        """Calls, tokens and cost of a trial, by the names of the trial's columns."""
        return usage_columns(self._gateway.usage(_context(row)))

    def respond(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Never asked: the worker has the gateway's URL."""
        raise AssertionError("a hook with a URL asks there")


class ServiceAccess:
    """`lethe.run.runner.ChatAccess` for a system that asks the gateway itself, with or without a hook.

    Its requests carry no trial, so that one trial runs at a time.

    Args:
        model: the chat model of the row; None where the system asks for embeddings alone.
        hooked: the model also, or only, plans the mutations.
    """

    lanes = 1

    def __init__(self, gateway: Gateway, model: ModelConfig | None, hooked: bool) -> None:
        self._gateway, self._model = gateway, model
        self._hook = HookAccess(gateway, model) if hooked and model is not None else None
        self.asks_model = model is not None

    @property
    def stop(self) -> str | None:
        """Why the run has to stop, else None."""
        return self._gateway.stop

    @property
    def patience_s(self) -> float:
        """Seconds that a case may take beyond its own limit while the gateway tries and tries again."""
        return 0.0 if self._model is None else _OWN_CALLS_A_CASE * answer_s(self._model)

    def hook(self) -> dict[str, Any] | None:
        """As `HookAccess.hook`; None where no model plans the mutations."""
        return None if self._hook is None else self._hook.hook()

    def services(self) -> dict[str, str]:
        """The fields of `lethe.systems.protocol.Services`."""
        model = "" if self._model is None else self._model.name
        return {"url": self._gateway.url, "token": self._gateway.token, "model": model}

    def begin(self, trial: Mapping[str, Any]) -> None:
        """Requests that do not say whose they are belong to this trial from here on."""
        self._gateway.context = _context(trial, "system")

    def usage(self, row: Mapping[str, Any]) -> dict[str, int | float]:
        """Calls, tokens and cost of a trial, the system's and the hook's, by the names of the trial's columns."""
        return usage_columns(self._gateway.usage(_context(row)))

    def respond(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Never asked: the worker has the gateway's URL."""
        raise AssertionError("a hook with a URL asks there")


def answer_s(model: ModelConfig) -> float:
    """Seconds that one answer may take: every attempt to its limit, as long again for waits between them."""
    return 2 * model.timeout_s * model.max_attempts


def _context(trial: Mapping[str, Any], purpose: str = "") -> CallContext:
    return CallContext(trial["suite"], trial["system"], trial["case_id"], trial["repetition"], purpose)
