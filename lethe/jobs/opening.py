"""Opening what a job's session needs: the embedder, the system, and the services of the run's own process."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forgeteval.embed.embedder import CachedEmbedder, Embedder
from forgeteval.json_records import from_json
from lethe.config.answering import answering_mode
from lethe.config.configurations import Configuration
from lethe.config.keys import hidden_keys, key_variables
from lethe.config.model import Config
from lethe.embedding.embedder import FastEmbedder
from lethe.embedding.vectors import read_vectors
from lethe.environments.build import interpreter
from lethe.environments.here import embedder_folder, see_to_environments
from lethe.fingerprints import file_fingerprint, value_fingerprint
from lethe.installed import require
from lethe.jobs.services import NO_SERVICES, RunServices, asking_system, chat_planner, planner_here, replayed_planner
from lethe.jobs.session import RunSettings, Session

if TYPE_CHECKING:
    from lethe.gateway.chat import Mode
    from lethe.gateway.serve import Locate
    from lethe.serving.locating import Prepared

CHOSEN_MODULES = ("lethe.gateway", "lethe.matcher", "lethe.serving")


@contextmanager
def open_session(snakemake: Any, case_timeout_s: float | None = None, *, timed: bool = False) -> Iterator[Session]:
    """The session of a job, from what its rule gives.

    Args:
        snakemake: has the inputs `vectors` (one file or several), `embedder` and perhaps `clauses`, `freeze`,
            `haystack` and `weights`, and the params `system`, `settings`, `environments`, `journal`,
            `answering_model` and `fingerprint`.
        case_timeout_s: seconds for one history; None for those of the configuration.
        timed: its times are shown, so that what the system writes stands on disk.

    Raises:
        UserError: where the model's key variable is not set, or the cache cannot be opened.
    """
    params, given, config = snakemake.params, snakemake.input, Config.of(snakemake.config)
    system = from_json(Configuration, params.system)
    vectors = [Path(path) for name in ("haystack", "vectors", "clauses") for path in _paths(given.get(name, []))]
    known = {text: vector for path in vectors for text, vector in read_vectors(path).items()}
    embedder = CachedEmbedder(known, FastEmbedder(embedder_folder(Path(given.embedder), config)))
    freezes = [Path(path) for path in given.get("freeze", [])]
    inputs = [file_fingerprint(path) for path in (*vectors, *freezes)]
    # No parameters of a rule: a finished trial does not depend on them, and a longer limit runs nothing again.
    limits = config.run.model_dump(include={"case_timeout_s", "start_timeout_s", "worker_failure"})
    if case_timeout_s is not None:
        limits["case_timeout_s"] = case_timeout_s
    cache = Path(config.output_dir, config.llm.cache)
    environments = Path(params.environments)
    with hidden_keys(config.models):
        see_to_environments(freezes, environments)
    with open_services(system, config, cache, embedder, prepared_server(snakemake)) as services:
        yield Session(
            system,
            interpreter(environments, system.environment),
            embedder,
            RunSettings(**params.settings, **limits),
            Path(params.journal),
            Path(snakemake.log[0]),
            " ".join([params.fingerprint, value_fingerprint(params.get("answering_model", {})), *inputs]),
            services,
            key_variables(config.models),
            in_memory=not timed and not system.heavy,
        )


def _paths(given: str | Sequence[str]) -> Sequence[str]:
    return [given] if isinstance(given, str) else given


def prepared_server(snakemake: Any) -> "Prepared | None":
    """What a job's rule prepared for serving its model here, from the input `weights`; None where there is none."""
    weights = snakemake.input.get("weights")
    if not weights:
        return None
    from lethe.serving.locating import Prepared
    from lethe.serving.weights import weights_here

    config, environments = Config.of(snakemake.config), Path(snakemake.params.environments)
    with hidden_keys(config.models):
        see_to_environments([Path(snakemake.input.server)], environments)
        description = weights_here(Path(weights), environments, config.models)
    return Prepared(description, environments, Path(config.output_dir, "results", "logs", "serving"))


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
    from lethe.gateway.models import ModelConfig
    from lethe.gateway.recorded import RecordedAnswers

    options = ModelConfig.from_config(model, config.models[model].model_dump(exclude_unset=True)) if model else None
    mode: Mode = answering_mode(config, model) if model else "off"
    recorded = RecordedAnswers.of(Path(config.llm.answers), [model] if model else [])
    if options is not None and mode in ("replay", "recorded") and not serves:
        from lethe.gateway.cache import Cache
        from lethe.gateway.replay import ReplayedChat

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
