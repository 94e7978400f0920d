"""What a run's own process offers its worker besides vectors: the gateway, its cached answers, or a planner."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from forgeteval.cases.case import Case
from forgeteval.planners.chat import ChatOptions, Endpoint, Structured
from forgeteval.planners.oracle import OraclePlanner
from forgeteval.planners.protocol import Planner, shown_to
from forgeteval.planners.remote import answer
from forgeteval.stores.contract import Services
from lethe.gateway.context import CallContext, Usage
from lethe.jobs.erasing import Files
from lethe.jobs.messages import Complete, Completion, Decision, Plan, PlannerSetup

if TYPE_CHECKING:
    from lethe.config.chat_models import ModelConfig
    from lethe.gateway.chat import ReplayedChat
    from lethe.gateway.server import Gateway

_CALLS_OF_HOOK = 8
"""Four mutations with a repair each: what the patience of a planner is reckoned by."""
_CALLS_OF_SYSTEM = 80
"""The same for a system that asks the model itself: eight facts, ten calls each (Graphiti makes the most)."""
_LONGEST_WAIT_S = 120.0
"""The longest wait that an endpoint may ask for (Retry-After) and the openai package keeps to."""


class Metered(Protocol):
    """Keeps count of requests by trial: the gateway, or its cached answers in mode `replay`."""

    context: CallContext
    """The trial of what a system asks itself; may be set at any time."""

    @property
    def stop(self) -> str | None:
        """Why the run has to stop (a spending cap, an answer that replay lacks), else None."""

    answered: bool
    """Whether an answer said something so far, or one was looked for that is not recorded."""

    def usage(self, context: CallContext) -> Usage:
        """What the chat calls of a trial came to so far."""

    def lacking(self, context: CallContext) -> str | None:
        """The first recorded answer that a trial lacks."""


@dataclass(frozen=True, slots=True)
class RunServices:
    """Services of a run's own process, as a session needs them; without arguments, those of a run that needs none.

    Attributes:
        metered: the gateway or its cached answers; None where neither is asked.
        asks_model: whether a chat model has part in the run, so that errors are run again.
        lanes: how many trials may wait for the model at once.
        patience_s: seconds beyond its own limit that a trial of a case may take for the model's sake.
        planner: who decides mutations; None where the system's own policies do.
        system: what the system itself asks; None where it asks nothing.
        complete, plan: answer what a planner without an endpoint asks this process.
        files: those that the worker has written, for the erasure audit.
        issue: gives each trial a token of its own, with which its planner asks the gateway.
        told: is told each case before its trial, for a planner that knows the states.
    """

    metered: Metered | None = None
    asks_model: bool = False
    lanes: int = 1
    patience_s: float = 0.0
    planner: PlannerSetup | None = None
    system: Services | None = None
    complete: Callable[[Complete], Completion] | None = None
    plan: Callable[[Plan], Decision] | None = None
    files: Files | None = None
    issue: Callable[[CallContext], str] | None = None
    told: Callable[[Case], None] | None = None

    @property
    def stop(self) -> str | None:
        """Why the run has to stop, else None."""
        return None if self.metered is None else self.metered.stop

    @property
    def answered(self) -> bool:
        """Whether a chat model said something, or its recorded answers lack one that it was asked for."""
        return self.metered is not None and self.metered.answered

    def begin(self, context: CallContext, case: Case | None = None) -> str:
        """Begin a trial, to which from here on the requests of the system itself belong.

        Returns:
            The trial's name, which nobody can guess; what the gateway is asked with it as token belongs to this trial.
        """
        if self.told is not None and case is not None:
            self.told(case)
        if self.metered is not None:
            self.metered.context = replace(context, purpose="system")
        return secrets.token_hex(8) if self.issue is None else self.issue(context)

    def usage(self, context: CallContext) -> Usage:
        """What the chat calls of a trial came to so far."""
        return Usage() if self.metered is None else self.metered.usage(context)

    def lacking(self, context: CallContext) -> str | None:
        """The first recorded answer that a trial lacks."""
        return None if self.metered is None else self.metered.lacking(context)


NO_SERVICES = RunServices()


def chat_planner(gateway: "Gateway", model: "ModelConfig") -> RunServices:
    """Services of a run whose mutations a chat model behind the gateway decides."""
    return RunServices(
        gateway,
        asks_model=True,
        lanes=model.concurrency,
        patience_s=_CALLS_OF_HOOK * _answer_s(model),
        planner=PlannerSetup(chat_options(model), gateway_endpoint(gateway, model)),
        issue=gateway.issue,
    )


def replayed_planner(chat: "ReplayedChat", model: "ModelConfig") -> RunServices:
    """Services of a run whose mutations a chat model's cached answers decide; there is nothing to wait for."""

    def complete(asked: Complete) -> Completion:
        return Completion(*chat.complete(asked.request, asked.purpose))

    return RunServices(chat, asks_model=True, planner=PlannerSetup(chat_options(model)), complete=complete)


def asking_system(gateway: "Gateway", model: "ModelConfig | None", hooked: bool) -> RunServices:
    """Services of a run whose system asks the gateway itself.

    Its requests name no trial, so that one trial runs at a time.

    Args:
        model: the chat model of the configuration; None where the system asks for embeddings alone.
        hooked: the model also, or only, plans the mutations.
    """
    return RunServices(
        gateway,
        asks_model=model is not None,
        patience_s=0.0 if model is None else _CALLS_OF_SYSTEM * _answer_s(model),
        planner=chat_planner(gateway, model).planner if hooked and model is not None else None,
        system=Services(gateway.url, gateway.token, "" if model is None else model.name),
        issue=gateway.issue,
    )


def planner_here(planner: Planner, system: RunServices = NO_SERVICES) -> RunServices:
    """Services of a run whose mutations a planner of this process decides.

    Args:
        system: the services that the system itself asks.
    """
    return RunServices(
        system.metered,
        patience_s=system.patience_s,
        planner=PlannerSetup(shown=shown_to(planner)),
        system=system.system,
        plan=lambda asked: Decision(answer(planner, asked.wanted)),
        told=planner.begin if isinstance(planner, OraclePlanner) else None,
    )


def chat_options(model: "ModelConfig") -> ChatOptions:
    """What every request to a configured model holds."""
    # llama.cpp takes a whole schema; the endpoints of others do not.
    strict = model.structured == "schema" and model.serve is None
    structured: Structured = "strict" if strict else model.structured
    return ChatOptions(model.name, model.temperature, model.max_tokens, structured, model.contract, model.candidates)


def gateway_endpoint(gateway: "Gateway", model: "ModelConfig") -> Endpoint:
    """Where a configured model is asked through a gateway that is up, with the token of each trial."""
    return Endpoint(gateway.url, "", _answer_s(model))


def _answer_s(model: "ModelConfig") -> float:
    """Seconds that one answer may take: every attempt to its limit, and as long again for waits between them, or the
    longest that an endpoint may ask for."""
    return (model.timeout_s + max(model.timeout_s, _LONGEST_WAIT_S)) * model.max_attempts
