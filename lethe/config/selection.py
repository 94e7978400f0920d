"""Which suites and configurations there are, which of them run, and the reasons why the others do not."""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from forgeteval.cases.suites import INTAKE_FILE
from lethe.config.answering import model_label, reason_unanswered
from lethe.config.configurations import Configuration
from lethe.gateway.context import JUDGE


def chosen_suites(config: Mapping[str, Any]) -> list[str]:
    """Names of the suites to run: those asked for that have a case."""
    wanted = config["run"]["suites"]
    asked = list(config["suites"]) if wanted == "all" else list(wanted)
    return [name for name in asked if not _is_empty(config["suites"][name])]


def reasons_suite_empty(config: Mapping[str, Any]) -> dict[str, str]:
    """Reasons why suites that were asked for are not run, for their tables."""
    wanted = config["run"]["suites"]
    return {
        name: reason_suite_empty(name, options)
        for name, options in config["suites"].items()
        if _is_empty(options) and (wanted == "all" or name in wanted)
    }


def reason_suite_empty(name: str, options: Mapping[str, Any]) -> str:
    """The reason that the tables give for a suite that has no case."""
    if "source" in options:
        fetched = f"results/suite_data/{name}/checked.txt fetches them"
        return f"not run: no data at {options['source']} (suites.{name}.source; {fetched})"
    return f"no cases yet (`forgeteval intake FILE --author NAME --out {options['intake']}` takes some in)"


def revised_suites(config: Mapping[str, Any], suite: str) -> dict[str, str]:
    """The suite whose trials stand for those of equal cases in `suite`, by the configuration for which there is one."""
    revised: str = config["suites"][suite].get("revises", "")
    if revised not in chosen_suites(config):
        return {}
    not_run = reasons_not_run(config, revised)
    entries = all_configurations(config).items()
    return {name: revised for name, entry in entries if not (entry.model or entry.in_order or name in not_run)}


def related_suite(config: Mapping[str, Any], suite: str) -> str:
    """The suite whose texts `suite` shares, since it revises or samples it, or holds its twins; empty for none."""
    related = config["suites"][suite].get("revises", "") or sampled_suite(config, suite) or twinned_suite(config, suite)
    return related if related in chosen_suites(config) else ""


def sampled_suite(config: Mapping[str, Any], suite: str) -> str:
    """The suite that a suite holds some cases of each category of; empty where it is no sample of another."""
    options = config["suites"][suite]
    if "cases_per_category" not in options:
        return ""
    wholes = (
        name
        for name, other in config["suites"].items()
        if other.get("folder") == options["folder"] and "cases_per_category" not in other
    )
    return next(wholes, "")


def twinned_suite(config: Mapping[str, Any], suite: str) -> str:
    """The suite that is run whose twins a suite holds, or a sample of it; empty for none."""
    twins_of = config["suites"][suite].get("twins_of")
    found = [name for name in chosen_suites(config) if config["suites"][name].get("folder") == twins_of is not None]
    return min(found, key=lambda name: bool(sampled_suite(config, name)), default="")


def long_reasons(config: Mapping[str, Any]) -> dict[str, str]:
    """The reason of each configuration that does not run on the long histories."""
    options, reasons = config["long"], reasons_not_run(config, "long")
    for name, entry in all_configurations(config).items():
        if not options["enabled"]:
            reasons[name] = "not run: switched off by long.enabled"
        elif name not in reasons and options["systems"] != "all" and entry.system not in options["systems"]:
            reasons[name] = "not run: left out by long.systems"
        elif name not in reasons and entry.asks_model:
            reasons[name] = "not run: a chat model would be asked for each mutation of each history"
    return reasons


def erasure_reasons(config: Mapping[str, Any]) -> dict[str, str]:
    """The reason of each configuration that the erasure audit leaves out."""
    options, reasons = config["erasure"], reasons_not_run(config, "erasure")
    for name, entry in all_configurations(config).items():
        if not options["enabled"]:
            reasons[name] = "not run: switched off by erasure.enabled"
        elif name in reasons:
            continue
        elif entry.asks_model:
            reasons[name] = "not run: a chat model would be asked for each memory"
        elif entry.hook or (entry.policies and "purge" not in entry.policies):
            reasons[name] = "not run: its store is audited under another name"
        elif options["systems"] != "all" and entry.system not in options["systems"]:
            reasons[name] = "not run: left out by erasure.systems"
    return reasons


def erasure_stores(config: Mapping[str, Any], name: str) -> list[tuple[int, int]]:
    """The stores in which a configuration is audited, each as its number of memories and its number of cases."""
    options = config["erasure"]
    rows, cases = options["rows"], options["cases_of"].get(name, options["cases"])
    each = [cases] * len(rows) if isinstance(cases, int) else cases
    most = options["most_rows"].get(name, max(rows))
    return [(memories, count) for memories, count in zip(rows, each, strict=True) if memories <= most]


def _is_empty(options: Mapping[str, Any]) -> bool:
    if "url" in options:
        return not Path(options["source"]).is_file()
    if "intake" not in options:
        return False
    cases = Path(options["intake"]) / INTAKE_FILE
    return not cases.is_file() or not cases.stat().st_size


def all_configurations(config: Mapping[str, Any]) -> dict[str, Configuration]:
    """Every configuration, by name: each system of config/systems.yaml, once per model if it asks a chat model.

    A system that asks a chat model (`hook: llm` or `gateway: chat`) becomes one configuration SYSTEM@MODEL for each
    model of config/models.yaml that is not a judge and is for it; without any, it is one configuration that cannot run.
    """
    planning = {name: config["models"][name] for name in planning_models(config)}
    found: list[Configuration] = []
    for system, fields in config["systems"].items():
        entry = Configuration(system, **{key: value for key, value in fields.items() if key != "caveat"})
        asked = [name for name, options in planning.items() if system in options.get("systems", [system])]
        labels = {model: f"{entry.label} ({model_label(config, model)})" for model in asked if entry.asks_model}
        found += [replace(entry, label=label, model=model) for model, label in labels.items()] or [entry]
    return {entry.name: entry for entry in found}


def caveat_of(config: Mapping[str, Any], system: str) -> str:
    """What a system's rows may not be taken for; empty for none. It is no part of what its trials depend on."""
    caveat: str = config["systems"][system].get("caveat", "")
    return caveat


def planning_models(config: Mapping[str, Any]) -> list[str]:
    """Names of the models that systems may ask: those that are no judges and name systems, or none in particular."""
    judges = config["llm"]["judges"]
    return [name for name, options in config["models"].items() if name not in judges and options.get("systems") != []]


def reasons_not_judged(config: Mapping[str, Any], suite: str) -> dict[str, str]:
    """The reasons why judges give no judgement on a suite, by name, as the tables give them."""
    found = {name: reason_unanswered(config, name, suite, JUDGE) for name in config["llm"]["judges"]}
    return {name: f"not run: {reason}" for name, reason in found.items() if reason}


def chosen_systems(config: Mapping[str, Any]) -> list[str]:
    """Names of the systems to run."""
    wanted = config["run"]["systems"]
    return list(config["systems"]) if wanted == "all" else list(wanted)


def reasons_not_run(config: Mapping[str, Any], suite: str) -> dict[str, str]:
    """The reasons why configurations do not run on a suite, by name, as the tables give them."""
    chosen = chosen_systems(config)
    found = {
        name: "left out by run.systems"
        if entry.system not in chosen and name not in chosen
        else _hindrance(entry, config, suite)
        for name, entry in all_configurations(config).items()
    }
    return {name: f"not run: {reason}" for name, reason in found.items() if reason}


def _hindrance(entry: Configuration, config: Mapping[str, Any], suite: str) -> str:
    """What keeps a chosen configuration from running on a suite; empty for nothing."""
    run, llm = config["run"], config["llm"]
    unanswered = reason_unanswered(config, entry.model, suite, entry.system) if entry.model else ""
    lacking = [command for command in entry.requires if shutil.which(command) is None]
    hindrances = {
        entry.not_run: bool(entry.not_run),
        f"not among the systems of this suite (suites.{suite}.systems)": entry.system not in _systems_of(config, suite),
        "heavy (run.heavy is false)": entry.heavy and not run["heavy"],
        "heavy systems skip this suite (run.heavy_skip_suites)": entry.heavy and suite in run["heavy_skip_suites"],
        f"skips this suite (systems.{entry.system}.skip_suites)": suite in entry.skip_suites,
        f"needs {', '.join(lacking)} on the PATH": bool(lacking),
        "no model configured": entry.asks_model and not entry.model,
        "llm.mode is off": entry.asks_model and llm["mode"] == "off",
        "configurations with a model skip this suite (llm.skip_suites)": (
            entry.asks_model and suite in llm["skip_suites"]
        ),
        f"the model is not for this suite (models.{entry.model}.suites)": not _is_for(config, entry, suite),
        unanswered: bool(unanswered),
    }
    return next((reason for reason, holds in hindrances.items() if holds), "")


def _is_for(config: Mapping[str, Any], entry: Configuration, suite: str) -> bool:
    """Whether a configuration's model is for a suite or benchmark: asked by a hook, or by the system itself."""
    suites = config["models"].get(entry.model, {}).get("suites")
    return suites is None or suite in suites["hook" if entry.hook else "inside"]


def _systems_of(config: Mapping[str, Any], suite: str) -> list[str]:
    """The systems that a suite is for; a benchmark is for all."""
    return list(config["suites"].get(suite, {}).get("systems", config["systems"]))


def configurations_to_run(config: Mapping[str, Any], suite: str) -> list[str]:
    """Names of the configurations that run on a suite."""
    reasons = reasons_not_run(config, suite)
    return [name for name in all_configurations(config) if name not in reasons]


def hook_pairs(configurations: Mapping[str, Configuration]) -> list[tuple[str, str]]:
    """(configuration without a hook, one with a hook) with the same backend, policies, options and environment."""

    def store(name: str) -> tuple[Any, ...]:
        entry = configurations[name]
        return entry.backend, entry.environment, entry.policies, entry.options

    known = [name for name, entry in configurations.items() if entry.backend]
    plain = [name for name in known if not configurations[name].hook]
    hooked = [name for name in known if configurations[name].hook]
    return [(one, other) for one in plain for other in hooked if store(one) == store(other)]
