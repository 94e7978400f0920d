"""The record of a configuration (`lethe.study.setup`): what it states, and what this machine has for it."""

from collections.abc import Collection, Mapping
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
    crosseval_reasons,
    lengths_of,
    reason_absent,
)
from lethe.fingerprints import sha256_of
from lethe.study.atlas import atlas_of, labels_of
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
    label, adversarial = suite_labels(config), config.paper.adversarial_suite
    benchmarks = {name: (reason_absent(config, name), crosseval_reasons(config, name)) for name in BENCHMARKS}
    suites = {
        name: Suite(
            **stated_of_suite(config, name),
            not_run=reasons_not_run(config, name),
            withdrawn=len(withdrawn(config.suites[name].options())),
            version=suite_version(config.suites[name].options()),
        )
        for name in chosen_suites(config)
    }
    systems = atlas_of(config, atlas, {name: suite.version for name, suite in suites.items()})
    return Setup(
        **stated_by(config),
        **following(
            config,
            configurations_to_run(config, adversarial),
            long_reasons(config),
            erasure_reasons(config),
            benchmarks,
        ),
        suites=suites,
        empty_suites={name: EmptySuite(label[name], reason) for name, reason in reasons_suite_empty(config).items()},
        judges=_judges(config),
        release=_release(config),
        handed_in=[handed_in_of(*found, config, labels_of(systems)) for found in read_handed_in(handed_in)],
        atlas=systems,
    )


_Reasons = Mapping[str, str]


def following(
    config: Config,
    running: Collection[str],
    long: _Reasons,
    erasure: _Reasons,
    benchmarks: Mapping[str, tuple[str | None, _Reasons]],
) -> dict[str, Any]:
    """The fields that follow from the configuration and from what does not run.

    Args:
        running: the configurations that run on the adversarial suite.
        long, erasure: the others' reasons there.
        benchmarks: of each, why it is not run, and the reasons of single configurations.
    """
    return {
        "benchmarks": {name: _benchmark(config, name, *reasons) for name, reasons in benchmarks.items()},
        "store_size": _store_size(config, running),
        "embedder_ablation": _embedder_ablation(config, running),
        "long": Long(config.long.histories, config.long.k, _others(config, long), long),
        "erasure": _erasure(config, erasure),
        "told": told_configurations(config, running),
    }


def _others(config: Config, not_run: Collection[str]) -> list[str]:
    return [name for name in all_configurations(config) if name not in not_run]


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
        "k": config.run.k,
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
    files = {config.released / name: reason for name, reason in reasons_no_release(config).items()}
    missing = next((reason for file, reason in files.items() if not file.is_file()), None)
    if missing is not None:
        return Release(missing, RELEASED_SUITES)
    return Release(None, RELEASED_SUITES, {file.name: sha256_of(file) for file in files})


def reasons_no_release(config: Config) -> dict[str, str]:
    """Why there is nothing to compare with where a file of the release is missing, by its name."""
    return {name: f"not run: no data at {config.released / name} (they cannot be fetched)" for name in RELEASED_FILES}


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


def _benchmark(config: Config, name: str, absent: str | None, not_run: _Reasons) -> Benchmark:
    running = [] if absent is not None else _others(config, not_run)
    only = {each: lengths_of(config, each) for each in running} if name == "factcons" else {}
    return Benchmark(bool(running), absent, not_run, only)


def _store_size(config: Config, running: Collection[str]) -> StoreSize:
    suite, left_out = config.paper.adversarial_suite, reasons_not_run(config, "store_size", anywhere=True)
    chosen = [
        name
        for name, entry in all_configurations(config).items()
        if name in running
        and name not in left_out
        and (entry.regime != "control" or entry.backend == "oracle")
        and not entry.model
        and not entry.gateway
    ]
    return StoreSize(
        "store_size" in config.run.workloads,
        suite_labels(config)[suite],
        chosen,
        suite,
        config.store_size,
        _CASES_AMONG_MANY,
    )


def _erasure(config: Config, not_run: _Reasons) -> Erasure:
    stores = {name: [list(store) for store in erasure_stores(config, name)] for name in _others(config, not_run)}
    most, largest = config.erasure.most_rows, max(config.erasure.rows)
    capped = {name: rows for name, rows in most.items() if name in stores and rows < largest}
    return Erasure(stores, capped, not_run)


def _embedder_ablation(config: Config, running: Collection[str]) -> EmbedderAblation:
    used = config.embedder.rsplit("/", 1)[-1]

    def reason(name: str, hub: str | None) -> str:
        if "embedders" in config.run.workloads and name in config.run.embedders:
            return ""
        needs = " (it needs a model hub)" if hub is not None else ""
        return f"not run: left out by run.embedders{needs}"

    entries, left_out = all_configurations(config), reasons_not_run(config, "embedders", anywhere=True)
    return EmbedderAblation(
        {name: reason(name, further.hub) for name, further in config.embedders.items() if name != used},
        [name for name, entry in entries.items() if name in running and name not in left_out and not entry.asks_model],
    )
