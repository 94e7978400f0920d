"""Opening what a job's session needs: the embedder, the system, and the services of the run's own process."""

import contextlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lethe.config.jobs import answer_cache, run_limits
from lethe.embedding.embedder import CachedEmbedder, Embedder, FastEmbedder
from lethe.embedding.vectors import read_vectors
from lethe.fingerprints import file_fingerprint, value_fingerprint
from lethe.run.services import NO_SERVICES, RunServices, asking_system, chat_planner, planner_here, replayed_planner
from lethe.run.session import RunSettings, Session
from lethe.run.worker_process import SystemConfiguration

if TYPE_CHECKING:
    from lethe.gateway.chat import Mode

CHOSEN_MODULES = ("lethe.gateway", "lethe.planners.matcher")


@contextmanager
def open_session(snakemake: Any, case_timeout_s: float | None = None) -> Iterator[Session]:
    """The session of a job, from what its rule gives.

    Args:
        snakemake: has the inputs `vectors`, `embedder` and perhaps `freeze` and `haystack`, and the params `system`,
            `settings`, `environments`, `journal`, `answering_model` and `fingerprint`.
        case_timeout_s: seconds for one history; None for those of the configuration.

    Raises:
        LetheError: where the model's key variable is not set, or the cache cannot be opened.
    """
    params, given = snakemake.params, snakemake.input
    vectors = [Path(given[name]) for name in ("haystack", "vectors") if given.get(name)]
    known = {text: vector for path in vectors for text, vector in read_vectors(path).items()}
    embedder = CachedEmbedder(known, FastEmbedder(Path(given.embedder).parent))
    inputs = [file_fingerprint(Path(path)) for path in (*vectors, *given.get("freeze", []))]
    limits = run_limits(snakemake.config)
    if case_timeout_s is not None:
        limits["case_timeout_s"] = case_timeout_s
    with open_services(params.system, snakemake.config, answer_cache(snakemake.config), embedder) as services:
        yield Session(
            SystemConfiguration.of_entry(params.system, Path(params.environments)),
            embedder,
            RunSettings(**params.settings, **limits),
            Path(params.journal),
            Path(snakemake.log[0]),
            " ".join([params.fingerprint, value_fingerprint(params.get("answering_model", {})), *inputs]),
            services,
        )


@contextmanager
def open_services(
    entry: Mapping[str, Any], config: Mapping[str, Any], cache: Path, embedder: Embedder
) -> Iterator[RunServices]:
    """The services that a configuration asks for.

    Args:
        entry: of `lethe.config.configurations.all_configurations`; its `evidence_off` names the kinds of evidence that
            the matcher leaves out.
        config: the workflow's configuration.
        cache: file of the answers that are kept.
        embedder: answers /v1/embeddings, and serves the matcher.

    Raises:
        LetheError: where the model's key variable is not set, or the cache cannot be opened.
    """
    with _open_gateway(entry, config, cache, embedder) as services:
        if entry.get("hook") != "matcher":
            yield services
            return
        # Imported only where it is needed: its tables of scripts take half a second.
        from lethe.planners.matcher import Matcher

        planner = Matcher(embedder, off=frozenset(entry.get("evidence_off", [])))
        planner.load()
        yield planner_here(planner, services)


@contextmanager
def _open_gateway(
    entry: Mapping[str, Any], config: Mapping[str, Any], cache: Path, embedder: Embedder
) -> Iterator[RunServices]:
    model, serves = entry["model"], "gateway" in entry
    if not model and not serves:
        yield NO_SERVICES
        return
    # Imported only where they are needed: the web server and its client take a second.
    from lethe.gateway.models import ModelConfig

    options = ModelConfig.from_config(model, config["models"][model]) if model else None
    mode: Mode = config["llm"]["mode"] if model else "off"
    if options is not None and mode == "replay" and not serves:
        from lethe.gateway.cache import Cache
        from lethe.gateway.replay import ReplayedChat

        with contextlib.closing(Cache(cache)) as opened:
            yield replayed_planner(ReplayedChat(opened, options), options)
        return
    from lethe.gateway.server import Gateway

    with Gateway({} if options is None else {options.name: options}, cache, mode, embedder) as gateway:
        if options is not None and not serves:
            yield chat_planner(gateway, options)
        else:
            yield asking_system(gateway, options, hooked=entry.get("hook") == "llm")
