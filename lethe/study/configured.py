"""The record of a configuration (`lethe.study.setup`): what it states, and what this machine has for it."""

from pathlib import Path
from typing import Any

from forgeteval.cases.errata import suite_version, withdrawn
from lethe.config.answering import repetitions, uses_recorded
from lethe.config.configurations import ATLAS
from lethe.config.model import HANDED_IN, REFERENCE_SYSTEM, RELEASED_FILES, RELEASED_SUITES, Config
from lethe.config.selection import (
    all_configurations,
    chosen_suites,
    configurations_to_run,
    erasure_reasons,
    erasure_stores,
    hook_pairs,
    long_reasons,
    planning_models,
    reasons_not_judged,
    reasons_not_run,
    reasons_suite_empty,
    sampled_suite,
    told_configurations,
    twinned_suite,
)
from lethe.config.submission import read_handed_in
from lethe.crosseval.selection import (
    BENCHMARKS,
    MEMORA_EVIDENCE,
    crosseval_configurations,
    crosseval_reasons,
    lengths_of,
    reason_absent,
)
from lethe.fingerprints import sha256_of
from lethe.study.atlas import atlas_of
from lethe.study.handed_in import handed_in_of
from lethe.study.setup import (
    NO_JUDGE,
    Benchmark,
    EmbedderAblation,
    EmptySuite,
    Erasure,
    Judge,
    Latency,
    Long,
    Release,
    Setup,
    StoreSize,
    Suite,
)

LATENCY = Latency(cases_per_category=1, repetitions=3)
_CASES_AMONG_MANY = 5
"""Of each category that are run among unrelated memories; limits the time."""
_RELEASED_SINCE = "f3f430d"
"""Commit since which those who develop planners here have had the cases that the paper's authors released."""


def setup_of(config: Config, handed_in: Path = Path(HANDED_IN), atlas: Path = Path(ATLAS)) -> Setup:
    """The record of a checked configuration, with what this machine has for it.

    Args:
        handed_in: folder of what others handed in.
        atlas: folder of the atlas.
    """
    label = suite_labels(config)
    return Setup(
        **stated_by(config),
        suites={
            name: Suite(
                **stated_of_suite(config, name),
                not_run=reasons_not_run(config, name),
                withdrawn=len(withdrawn(config.suites[name].options())),
                version=suite_version(config.suites[name].options()),
            )
            for name in chosen_suites(config)
        },
        empty_suites={name: EmptySuite(label[name], reason) for name, reason in reasons_suite_empty(config).items()},
        judges=_judges(config),
        benchmarks={
            name: Benchmark(
                bool(crosseval_configurations(config, name)),
                reason_absent(config, name),
                crosseval_reasons(config, name),
                _lengths(config) if name == "factcons" else {},
            )
            for name in BENCHMARKS
        },
        release=_release(config),
        store_size=_store_size(config),
        embedder_ablation=_embedder_ablation(config),
        long=_long(config),
        erasure=_erasure(config),
        told=told_configurations(config),
        handed_in=[handed_in_of(*found, config) for found in read_handed_in(handed_in)],
        atlas=atlas_of(config, atlas),
    )


def stated_by(config: Config) -> dict[str, Any]:
    """The fields that the configuration states, whatever data, commands and answers a machine has."""
    paper, models, entries = config.paper, config.models, all_configurations(config)
    caveats = {name: config.systems[entry.system].caveat for name, entry in entries.items()}
    off = config.llm.mode == "off" and bool(config.judges)
    return {
        "no_judge": "not run: llm.mode is off" if off else NO_JUDGE,
        "configurations": entries,
        "suite_labels": suite_labels(config),
        "template_suite": paper.template_suite,
        "adversarial_suite": paper.adversarial_suite,
        "held_out_suite": paper.held_out_suite,
        "scorer": paper.scorer,
        "reference": REFERENCE_SYSTEM,
        "models": {name: models[name].label or name for name in planning_models(config)},
        "families": {name: model.family for name, model in models.items()},
        "parameters": {name: model.parameters for name, model in models.items()},
        "reading": MEMORA_EVIDENCE,
        "hook_pairs": hook_pairs(entries),
        "embedder": config.embedder.rsplit("/", 1)[-1],
        "latency": LATENCY,
        "resamples": config.resamples,
        "seed": config.seed,
        "caveats": {name: caveat for name, caveat in caveats.items() if caveat},
        "recorded": [name for name in models if uses_recorded(config, name)],
        "repetitions": {name: repetitions(config, name) for name in ("", *models)},
    }


def _judges(config: Config) -> dict[str, Judge]:
    suites = (config.paper.adversarial_suite, RELEASED_SUITES["adversarial"])
    reasons = {suite: reasons_not_judged(config, suite) for suite in suites}
    return {
        name: Judge(
            **stated,
            recorded=uses_recorded(config, name),
            not_run={suite: found[name] for suite, found in reasons.items() if name in found},
        )
        for name, stated in stated_of_judges(config).items()
    }


def _release(config: Config) -> Release:
    files = [config.released / name for name in RELEASED_FILES]
    missing = next((file for file in files if not file.is_file()), None)
    if missing is not None:
        return Release(f"not run: no data at {missing} (they cannot be fetched)", RELEASED_SUITES)
    return Release(None, RELEASED_SUITES, {file.name: sha256_of(file) for file in files})


def suite_labels(config: Config) -> dict[str, str]:
    """Name in tables of each suite of the configuration."""
    return {name: suite.label or name for name, suite in config.suites.items()}


def stated_of_suite(config: Config, name: str) -> dict[str, Any]:
    """The fields of a `Suite` that the configuration states, whatever a machine has."""
    suite = config.suites[name]
    return {
        "label": suite.label or name,
        "seen_by": suite.seen_by,
        "available_since": _RELEASED_SINCE if name in RELEASED_SUITES.values() else "",
        "sample_of": sampled_suite(config, name),
        "twins_of": twinned_suite(config, name),
    }


def stated_of_judges(config: Config) -> dict[str, dict[str, str]]:
    """The fields of each `Judge`, by its name, that the configuration states, whatever a machine has."""
    if config.llm.mode == "off":
        return {}
    models = {name: config.models[name] for name in config.judges}
    return {name: {"label": model.label or name, "family": model.family} for name, model in models.items()}


def stated_of_store_size(config: Config) -> dict[str, Any]:
    """The fields of the `StoreSize` that the configuration states, whatever a machine has."""
    suite = config.paper.adversarial_suite
    return {
        "enabled": "store_size" in config.run.workloads,
        "suite_label": suite_labels(config)[suite],
        "k": config.run.k,
        "suite": suite,
        "sizes": config.store_size,
        "cases_per_category": _CASES_AMONG_MANY,
    }


def _lengths(config: Config) -> dict[str, list[str]]:
    return {name: lengths_of(config, name) for name in crosseval_configurations(config, "factcons")}


def _store_size(config: Config) -> StoreSize:
    stated, entries = stated_of_store_size(config), all_configurations(config)
    left_out = reasons_not_run(config, "store_size")
    chosen = [
        name
        for name in configurations_to_run(config, stated["suite"])
        if name not in left_out
        and (entries[name].regime != "control" or entries[name].backend == "oracle")
        and not entries[name].model
        and not entries[name].gateway
    ]
    return StoreSize(**stated, configurations=chosen)


def _long(config: Config) -> Long:
    not_run = long_reasons(config)
    names = [name for name in all_configurations(config) if name not in not_run]
    return Long(config.long.histories, config.long.k, names, not_run)


def _erasure(config: Config) -> Erasure:
    not_run = erasure_reasons(config)
    names = [name for name in all_configurations(config) if name not in not_run]
    stores = {name: [list(store) for store in erasure_stores(config, name)] for name in names}
    most, largest = config.erasure.most_rows, max(config.erasure.rows)
    capped = {name: rows for name, rows in most.items() if name in stores and rows < largest}
    return Erasure(stores, capped, not_run)


def _embedder_ablation(config: Config) -> EmbedderAblation:
    used = config.embedder.rsplit("/", 1)[-1]

    def reason(name: str, hub: str | None) -> str:
        if "embedders" in config.run.workloads and name in config.run.embedders:
            return ""
        needs = " (it needs a model hub)" if hub is not None else ""
        return f"not run: left out by run.embedders{needs}"

    entries, left_out = all_configurations(config), reasons_not_run(config, "embedders")
    running = configurations_to_run(config, config.paper.adversarial_suite)
    return EmbedderAblation(
        {name: reason(name, further.hub) for name, further in config.embedders.items() if name != used},
        [name for name in running if name not in left_out and not entries[name].asks_model],
    )
