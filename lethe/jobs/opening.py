"""Opening the services of a run's own process that a configuration asks for."""

import contextlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from forgeteval.embed.embedder import Embedder
from forgeteval.planners.chat import HookContract
from forgeteval.planners.oracle import OraclePlanner
from forgeteval.planners.protocol import CANDIDATES
from lethe.config.answering import answering_mode
from lethe.config.configurations import Configuration
from lethe.config.keys import hidden_keys
from lethe.config.model import Config
from lethe.environments.here import see_to_environments
from lethe.installed import require
from lethe.jobs.services import NO_SERVICES, RunServices, asking_system, chat_planner, planner_here, replayed_planner

if TYPE_CHECKING:
    from lethe.gateway.addresses import Locate
    from lethe.gateway.chat import Mode
    from lethe.serving.locating import Prepared

CHOSEN_MODULES = ("lethe.gateway", "lethe.matcher", "lethe.serving")


def prepared_server(config: Config, environments: Path, weights: Path | None, server: Path | None) -> "Prepared | None":
    """What serves a model here; None where nothing does.

    Args:
        weights, server: descriptions of the model's weights and of the server's environment.
    """
    if weights is None or server is None:
        return None
    from lethe.serving.locating import Prepared
    from lethe.serving.weights import weights_here

    with hidden_keys(config.models):
        see_to_environments([server], environments)
        description = weights_here(weights, environments, config.models)
    return Prepared(description, environments, Path(config.output_dir, "results", "logs", "serving"))


def recorded_of(cache: Path, system: Configuration, suite: str) -> tuple[int, int]:
    """How many of the answers that a configuration got on a suite were recorded ones, and how many there are.

    Args:
        cache: file of the answers that are kept.
    """
    if not cache.is_file():
        return 0, 0
    from lethe.gateway.cache import Cache

    with contextlib.closing(Cache(cache)) as opened:
        return opened.recorded_of(system.model, system.system, suite)


@contextmanager
def open_services(
    system: Configuration,
    config: Config,
    cache: Path,
    embedder: Embedder,
    server: "Prepared | None" = None,
) -> Iterator[RunServices]:
    """The services that a configuration asks for.

    Args:
        config: the workflow's configuration.
        cache: file of the answers that are kept.
        embedder: answers /v1/embeddings, and serves the matcher.
        server: what the server of the model needs, where one may be started here.

    Raises:
        UserError: where the model's key variable is not set, or the cache cannot be opened.
    """
    with _open_gateway(system, config, cache, embedder, server) as services:
        if system.is_ceiling:
            contract: HookContract = "paper" if system.hook_contract == "paper" else "rows"
            yield planner_here(OraclePlanner(contract, system.hook_candidates or CANDIDATES), services)
            return
        if system.hook != "matcher":
            yield services
            return
        require("matcher", system.name)
        # Imported only where it is needed: its tables of scripts take half a second.
        from lethe.matcher.planner import Matcher

        planner = Matcher(embedder, off=frozenset(system.evidence_off))
        planner.load()
        yield planner_here(planner, services)


@contextmanager
def _open_gateway(
    system: Configuration,
    config: Config,
    cache: Path,
    embedder: Embedder,
    server: "Prepared | None",
) -> Iterator[RunServices]:
    model, serves = system.model, bool(system.gateway)
    if not model and not serves:
        yield NO_SERVICES
        return
    # Imported only where they are needed: the web server and its client take a second.
    from lethe.config.chat_models import ModelConfig
    from lethe.gateway.answers import RecordedAnswers

    options = ModelConfig.from_config(model, config.models[model].model_dump(exclude_unset=True)) if model else None
    mode: Mode = answering_mode(config, model) if model else "off"
    recorded = RecordedAnswers.of(Path(config.llm.answers), [model] if model else [])
    if options is not None and mode in ("replay", "recorded") and not serves:
        from lethe.gateway.cache import Cache
        from lethe.gateway.chat import ReplayedChat

        with contextlib.closing(Cache(cache, recorded)) as opened:
            yield replayed_planner(ReplayedChat(opened, options, mode == "replay"), options)
        return
    from lethe.gateway.server import Gateway

    with contextlib.ExitStack() as stack:
        addresses: Mapping[str, Locate] = {}
        if options is not None and options.serve is not None:
            from lethe.serving.locating import served

            addresses = stack.enter_context(served(options, server))
        models = {} if options is None else {options.name: options}
        gateway = stack.enter_context(Gateway(models, cache, mode, embedder, addresses, recorded))
        if options is not None and not serves:
            yield chat_planner(gateway, options)
        else:
            yield asking_system(gateway, options, hooked=system.hook == "llm")
