"""A planner of the run's own process, for a row whose mutations it decides."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lethe.gateway.context import Usage, usage_columns
from lethe.planners.protocol import Planner
from lethe.planners.remote import answer
from lethe.run.opening import open_gateway

if TYPE_CHECKING:
    from lethe.embedding.embedder import Embedder
    from lethe.run.runner import ChatAccess

CHOSEN_MODULES = ("lethe.planners.matcher",)


class PlannerAccess:
    """`lethe.run.runner.ChatAccess` for mutations that a planner without a chat model decides.

    Args:
        services: what the system itself asks of the gateway; None where it asks nothing.
    """

    asks_model = False
    lanes = 1

    def __init__(self, planner: Planner, services: "ChatAccess | None" = None) -> None:
        self._planner, self._services = planner, services

    @property
    def stop(self) -> str | None:
        """Why the run has to stop, else None."""
        return None if self._services is None else self._services.stop

    @property
    def patience_s(self) -> float:
        """Seconds that a case may take beyond its own limit."""
        return 0.0 if self._services is None else self._services.patience_s

    def hook(self) -> dict[str, Any]:
        """What tells the worker to ask this process for each decision."""
        return {"plan": True}

    def services(self) -> dict[str, Any] | None:
        """As the system's own access says."""
        return None if self._services is None else self._services.services()

    def begin(self, trial: Mapping[str, Any]) -> None:
        """From here on the system's own requests belong to this trial."""
        if self._services is not None:
            self._services.begin(trial)

    def respond(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Decide what the worker asks."""
        return {"decision": answer(self._planner, asked["plan"])}

    def usage(self, row: Mapping[str, Any]) -> dict[str, int | float]:
        """Calls, tokens and cost of the system's own requests."""
        return usage_columns(Usage()) if self._services is None else self._services.usage(row)


@contextmanager
def open_access(
    row: Mapping[str, Any], config: Mapping[str, Any], cache: Path, embedder: "Embedder"
) -> "Iterator[ChatAccess | None]":
    """What a row's run needs besides its worker: the gateway, the matcher, both or (None) neither.

    Args:
        row: an entry of `all_configurations`; its `evidence_off` names the kinds of evidence that are left out.
        config, cache, embedder: see `lethe.run.opening.open_gateway`.
    """
    with open_gateway(row, config, cache, embedder) as chat:
        if row.get("hook") != "matcher":
            yield chat
            return
        # Imported by rows that need it alone: its tables of scripts take half a second.
        from lethe.planners.matcher import Matcher

        planner = Matcher(embedder, off=frozenset(row.get("evidence_off", [])))
        planner.load()
        yield PlannerAccess(planner, chat)
