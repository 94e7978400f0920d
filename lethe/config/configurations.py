"""The configurations: each system of config/systems.yaml, once per model if it asks a chat model."""

import shutil
from collections.abc import Mapping
from typing import Any


def configuration_name(trial: Mapping[str, Any]) -> str:
    """The configuration of a trial or score: SYSTEM, or SYSTEM@MODEL."""
    return f"{trial['system']}@{trial['model']}" if trial["model"] else str(trial["system"])


def all_configurations(config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The entry of each configuration, by name.

    An entry is that of config/systems.yaml, with its name as `system` and the name of the chat model as `model` (empty
    for none). A system that asks a chat model (`hook: llm` or `gateway: chat`) becomes one configuration SYSTEM@MODEL
    for each model of config/models.yaml that is not a judge; without any, it is one configuration that cannot run.
    """
    judges = config["llm"]["judges"]
    planning = {name: options for name, options in config["models"].items() if name not in judges}
    configurations: dict[str, dict[str, Any]] = {}
    for system, entry in config["systems"].items():
        models = planning if asks_model(entry) else {}
        for model, options in models.items():
            label = f"{entry['label']} ({options.get('label', model)})"
            configurations[f"{system}@{model}"] = {**entry, "label": label, "system": system, "model": model}
        if not models:
            configurations[system] = {**entry, "system": system, "model": ""}
    return configurations


def asks_model(entry: Mapping[str, Any]) -> bool:
    """Whether an entry of config/systems.yaml needs a chat model, for its hook or inside."""
    return entry.get("hook") == "llm" or entry.get("gateway") == "chat"


def chosen_systems(config: Mapping[str, Any]) -> list[str]:
    """Names of the systems to run."""
    wanted = config["run"]["systems"]
    return list(config["systems"]) if wanted == "all" else list(wanted)


def reasons_not_run(config: Mapping[str, Any], suite: str) -> dict[str, str]:
    """The reasons why configurations do not run on a suite, by name, as the tables give them."""
    chosen = chosen_systems(config)
    reasons = {}
    for name, entry in all_configurations(config).items():
        if entry["system"] not in chosen and name not in chosen:
            reasons[name] = "not run: left out by run.systems"
        elif "not_run" in entry:
            reasons[name] = f"not run: {entry['not_run']}"
        elif entry.get("heavy") and not config["run"]["heavy"]:
            reasons[name] = "not run: heavy (run.heavy is false)"
        elif entry.get("heavy") and suite in config["run"]["heavy_skip_suites"]:
            reasons[name] = "not run: heavy systems skip this suite (run.heavy_skip_suites)"
        elif suite in entry.get("skip_suites", []):
            reasons[name] = f"not run: skips this suite (systems.{entry['system']}.skip_suites)"
        elif lacking := [command for command in entry.get("requires", []) if shutil.which(command) is None]:
            reasons[name] = f"not run: needs {', '.join(lacking)} on the PATH"
        elif not asks_model(entry):
            continue
        elif not entry["model"]:
            reasons[name] = "not run: no model configured"
        elif config["llm"]["mode"] == "off":
            reasons[name] = "not run: llm.mode is off"
        elif suite in config["llm"]["skip_suites"]:
            reasons[name] = "not run: configurations with a model skip this suite (llm.skip_suites)"
    return reasons


def configurations_to_run(config: Mapping[str, Any], suite: str) -> list[str]:
    """Names of the configurations that run on a suite."""
    reasons = reasons_not_run(config, suite)
    return [name for name in all_configurations(config) if name not in reasons]


def hook_pairs(configurations: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    """(configuration without a hook, one with a hook) with the same backend, policies, options and environment.

    Args:
        configurations: see `all_configurations`.
    """

    def store(name: str) -> tuple[Any, ...]:
        return tuple(configurations[name].get(key) for key in ("backend", "environment", "policies", "options"))

    known = [name for name, entry in configurations.items() if "backend" in entry]
    plain = [name for name in known if "hook" not in configurations[name]]
    hooked = [name for name in known if "hook" in configurations[name]]
    return [(one, other) for one in plain for other in hooked if store(one) == store(other)]
