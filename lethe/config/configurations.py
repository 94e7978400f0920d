"""The configuration: what is run and tabled under one name, SYSTEM or SYSTEM@MODEL."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

PIPELINE = "pipeline"
"""Name of the environment of the workflow itself, which `make env` builds."""
ATLAS = "atlas"
"""Folder with a folder for each system of the atlas, NAME; its environment is atlas-NAME."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One entry of config/systems.yaml, with its chat model where it asks one.

    Attributes:
        model: name of the chat model in config/models.yaml; empty for none.
        backend: name in `lethe.systems.backends`, or "module:Class".
        environment: name of its lock file in envs/.
        hook: planner of its mutations; empty for none.
        gateway: what it asks of the gateway itself: embeddings, chat, or nothing.
        policies: mutation to the policy that carries it out on the backend.
        options: keyword arguments of the backend's constructor.
        contract: paper, uniform, or both where the two do not differ.
        extended: stands in the tables of extended systems.
        heavy: runs only where `run.heavy` says so.
        in_order: a case depends on those before it, so that a suite cannot be split.
        requires: commands that have to be on the PATH.
        not_run: why it cannot run here; empty where it can.
        evidence_off: kinds of evidence that the matcher leaves out.
        hook_contract: what a chat model, or the oracle, is shown of a mutation; empty for other hooks.
        hook_candidates: how many memories the contract `rows` shows.
    """

    system: str
    label: str = ""
    regime: str = ""
    model: str = ""
    backend: str = ""
    environment: str = ""
    hook: str = ""
    gateway: str = ""
    policies: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    contract: str = "both"
    extended: bool = False
    heavy: bool = False
    in_order: bool = False
    skip_suites: list[str] = field(default_factory=list)
    requires: list[str] = field(default_factory=list)
    not_run: str = ""
    evidence_off: list[str] = field(default_factory=list)
    hook_contract: str = ""
    hook_candidates: int = 0

    @property
    def is_ceiling(self) -> bool:
        """Whether its hook is the oracle: what no model can pass beyond, by its contract on its store."""
        return self.hook == "oracle"

    @property
    def is_untrusted(self) -> bool:
        """Whether it runs in a sandbox: code or packages from a folder of the atlas, which nobody here has read."""
        return self.environment.startswith(f"{ATLAS}-") or self.backend.startswith(f"{ATLAS}.")

    @property
    def name(self) -> str:
        """SYSTEM, or SYSTEM@MODEL."""
        return f"{self.system}@{self.model}" if self.model else self.system

    @property
    def asks_model(self) -> bool:
        """Whether it needs a chat model, for its hook or inside."""
        return self.hook == "llm" or self.gateway == "chat"

    def for_trials(self) -> "Configuration":
        """The part that its trials depend on; what shows it or says where it runs is left at its default."""
        return replace(
            self,
            label="",
            regime="",
            extended=False,
            heavy=False,
            in_order=False,
            skip_suites=[],
            requires=[],
            not_run="",
        )

    def for_recall(self) -> "Configuration":
        """The part that trials without a mutation depend on."""
        return replace(
            self.for_trials(),
            system="",
            model="",
            hook="",
            policies={},
            contract="both",
            evidence_off=[],
            hook_contract="",
            hook_candidates=0,
        )


def configuration_name(trial: Mapping[str, Any]) -> str:
    """The name of the configuration that a trial or score is of."""
    return f"{trial['system']}@{trial['model']}" if trial["model"] else str(trial["system"])


def lock_file(root: Path, environment: str) -> Path:
    """The lock of an environment of the project in `root`."""
    kind, _, name = environment.partition("-")
    return root / ATLAS / name / "environment.lock" if kind == ATLAS and name else root / "envs" / f"{environment}.lock"
