"""The record of a configuration (`lethe.study.setup`): what it states, and what this machine has for it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from forgeteval.cases.errata import suite_version, withdrawn
from lethe.config.answering import repetitions, uses_recorded
from lethe.config.selection import (
    all_configurations,
    caveat_of,
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
    twinned_suite,
)
from lethe.config.submission import read_handed_in
from lethe.crosseval.selection import (
    BENCHMARKS,
    crosseval_configurations,
    crosseval_reasons,
    lengths_of,
    reason_absent,
)
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


def setup_of(config: Mapping[str, Any]) -> Setup:
    """The record of a checked configuration, with what this machine has for it."""
    label = suite_labels(config)
    return Setup(
        **stated_by(config),
        suites={
            name: Suite(
                **stated_of_suite(config, name),
                not_run=reasons_not_run(config, name),
                withdrawn=len(withdrawn(config["suites"][name])),
                version=suite_version(config["suites"][name]),
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
        handed_in=[handed_in_of(*found, config) for found in read_handed_in(Path(config["handed_in"]))],
    )


def stated_by(config: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that the configuration states, whatever data, commands and answers a machine has."""
    paper, models, entries = config["paper"], config["models"], all_configurations(config)
    off = config["llm"]["mode"] == "off" and bool(config["llm"]["judges"])
    return {
        "no_judge": "not run: llm.mode is off" if off else NO_JUDGE,
        "configurations": entries,
        "template_suite": paper["template_suite"],
        "adversarial_suite": paper["adversarial_suite"],
        "held_out_suite": paper["held_out_suite"],
        "scorer": paper["scorer"],
        "reference": paper["reference_system"],
        "models": {name: models[name].get("label", name) for name in planning_models(config)},
        "families": {name: entry["family"] for name, entry in models.items()},
        "parameters": {name: entry.get("parameters") for name, entry in models.items()},
        "reading": config["crosseval"]["memora"]["evidence"],
        "hook_pairs": hook_pairs(entries),
        "embedder": config["embedder"]["name"].rsplit("/", 1)[-1],
        "latency": Latency(**config["latency"]),
        "resamples": config["statistics"]["resamples"],
        "seed": config["statistics"]["seed"],
        "caveats": {name: caveat for name, entry in entries.items() if (caveat := caveat_of(config, entry.system))},
        "repetitions": {name: repetitions(config, name) for name in ("", *models)},
    }


def _judges(config: Mapping[str, Any]) -> dict[str, Judge]:
    suites = (config["paper"]["adversarial_suite"], config["release"]["suites"]["adversarial"])
    reasons = {suite: reasons_not_judged(config, suite) for suite in suites}
    return {
        name: Judge(
            **stated,
            recorded=uses_recorded(config, name),
            not_run={suite: found[name] for suite, found in reasons.items() if name in found},
        )
        for name, stated in stated_of_judges(config).items()
    }


def _release(config: Mapping[str, Any]) -> Release:
    path = Path(config["release"]["path"])
    absent = None if path.is_dir() else f"not run: no data at release.path ({path})"
    return Release(absent, config["release"]["suites"])


def suite_labels(config: Mapping[str, Any]) -> dict[str, str]:
    """Name in tables of each suite of the configuration."""
    return {name: options.get("label", name) for name, options in config["suites"].items()}


def stated_of_suite(config: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The fields of a `Suite` that the configuration states, whatever a machine has."""
    options = config["suites"][name]
    return {
        "label": options.get("label", name),
        "seen_by": options.get("seen_by", []),
        "available_since": options.get("available_since", ""),
        "sample_of": sampled_suite(config, name),
        "twins_of": twinned_suite(config, name),
    }


def stated_of_judges(config: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The fields of each `Judge`, by its name, that the configuration states, whatever a machine has."""
    if config["llm"]["mode"] == "off":
        return {}
    models = {name: config["models"][name] for name in config["llm"]["judges"]}
    return {name: {"label": entry.get("label", name), "family": entry["family"]} for name, entry in models.items()}


def stated_of_store_size(config: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the `StoreSize` that the configuration states, whatever a machine has."""
    axis = config["store_size"]
    return {
        "enabled": axis["enabled"],
        "suite_label": config["suites"].get(axis["suite"], {}).get("label", axis["suite"]),
        "k": config["run"]["k"],
        "suite": axis["suite"],
        "sizes": axis["sizes"],
        "cases_per_category": axis["cases_per_category"],
    }


def _lengths(config: Mapping[str, Any]) -> dict[str, list[str]]:
    return {name: lengths_of(config, name) for name in crosseval_configurations(config, "factcons")}


def _store_size(config: Mapping[str, Any]) -> StoreSize:
    axis, entries = config["store_size"], all_configurations(config)
    chosen = [
        name
        for name in configurations_to_run(config, axis["suite"])
        if (entries[name].regime != "control" or entries[name].backend == "oracle")
        and not entries[name].model
        and not entries[name].gateway
        and "store_size" not in entries[name].skip_suites
    ]
    return StoreSize(**stated_of_store_size(config), configurations=chosen)


def _long(config: Mapping[str, Any]) -> Long:
    not_run = long_reasons(config)
    names = [name for name in all_configurations(config) if name not in not_run]
    return Long(config["long"]["histories"], config["long"]["k"], names, not_run)


def _erasure(config: Mapping[str, Any]) -> Erasure:
    not_run, options = erasure_reasons(config), config["erasure"]
    names = [name for name in all_configurations(config) if name not in not_run]
    stores = {name: [list(store) for store in erasure_stores(config, name)] for name in names}
    largest = max(options["rows"])
    capped = {name: most for name, most in options["most_rows"].items() if name in stores and most < largest}
    return Erasure(stores, capped, not_run)


def _embedder_ablation(config: Mapping[str, Any]) -> EmbedderAblation:
    wanted, used = config["embedder_ablation"], config["embedder"]["name"].rsplit("/", 1)[-1]

    def reason(name: str, options: Mapping[str, Any]) -> str:
        if name in wanted["embedders"]:
            return ""
        needs = " (it needs a model hub)" if "hub" in options else ""
        return f"not run: left out by embedder_ablation.embedders{needs}"

    entries = all_configurations(config)
    running = configurations_to_run(config, config["paper"]["adversarial_suite"])
    return EmbedderAblation(
        {name: reason(name, options) for name, options in config["embedders"].items() if name != used},
        [name for name in running if name in wanted["systems"] and not entries[name].asks_model],
    )
