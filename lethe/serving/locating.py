"""Where a model that is served on this machine answers, as the workflow's rules prepared it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from forgeteval.errors import UserError
from lethe.environments.build import interpreter
from lethe.gateway.addresses import Locate
from lethe.serving.keeper import ServerOptions
from lethe.serving.sharing import SharedServer
from lethe.serving.weights import check_weights, weights_file

if TYPE_CHECKING:
    from lethe.config.chat_models import ModelConfig

ENVIRONMENT = "llama_cpp"
"""Name of the environment that the server runs in."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a server needs: the description of its weights, the folder of the environments, and a folder for its log."""

    weights: Path
    environments: Path
    logs: Path

    @classmethod
    def of(cls, model: str, environments: Path) -> "Prepared":
        """What a command needs that serves a model, where the workflow's rules prepare it."""
        return cls(environments / "weights" / f"{model}.json", environments, Path("results/logs/serving"))


_TASKS_OF_HOOK = 3
"""Each begins its prompts alike; a slot for each saves reading that again."""


@contextmanager
def served(model: "ModelConfig", prepared: Prepared | None) -> Iterator[Mapping[str, Locate]]:
    """Where to ask a model, by its name; empty for one with an endpoint, or without anything prepared."""
    if prepared is None or model.serve is None:
        yield {}
        return
    needed = prepared.weights, prepared.environments / f"{ENVIRONMENT}.freeze.txt"
    if lacking := [str(path) for path in needed if not path.is_file()]:
        raise UserError(f"model {model.name}: {lacking[0]} is not there; `snakemake -c1 {' '.join(lacking)}` makes it")
    options = ServerOptions(
        python=str(interpreter(prepared.environments, ENVIRONMENT)),
        weights=str(weights_file(prepared.weights)),
        alias=model.model,
        context=model.serve.context,
        slots=max(_TASKS_OF_HOOK, model.concurrency),
        threads=model.serve.threads,
    )
    check = partial(check_weights, model.name, model.serve, prepared.weights)
    with SharedServer(model.name, options, prepared.logs / f"{model.name}.log", check) as server:
        yield {model.name: server.address}
