"""The rows of the tables: each configured system, and one for each model where a chat model plans the mutations."""

import shutil
from collections.abc import Mapping
from typing import Any


def configuration_name(trial: Mapping[str, Any]) -> str:
    """The row that a trial or score belongs to: SYSTEM, or SYSTEM@MODEL."""
    return f"{trial['system']}@{trial['model']}" if trial["model"] else str(trial["system"])


def all_configurations(config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Row name to its entry of config/systems.yaml, with `system` (the entry's name) and `model` (empty for none).

    An entry that asks a chat model (`hook: llm` or `gateway: chat`) becomes a row SYSTEM@MODEL for each model of
    config/models.yaml that is no judge, and stays one row, which cannot run, where there is none.
    """
    judges = config["llm"]["judges"]
    planning = {name: options for name, options in config["models"].items() if name not in judges}
    rows: dict[str, dict[str, Any]] = {}
    for system, entry in config["systems"].items():
        models = planning if asks_model(entry) else {}
        for model, options in models.items():
            label = f"{entry['label']} ({options.get('label', model)})"
            rows[f"{system}@{model}"] = {**entry, "label": label, "system": system, "model": model}
        if not models:
            rows[system] = {**entry, "system": system, "model": ""}
    return rows


def asks_model(entry: Mapping[str, Any]) -> bool:
    """Whether a system of config/systems.yaml needs a chat model, for a hook or inside."""
    return entry.get("hook") == "llm" or entry.get("gateway") == "chat"


def chosen_systems(config: Mapping[str, Any]) -> list[str]:
    """Names of the systems to run."""
    wanted = config["run"]["systems"]
    return list(config["systems"]) if wanted == "all" else list(wanted)


def reasons_not_run(config: Mapping[str, Any], suite: str) -> dict[str, str]:
    """Why a row does not run on a suite, for what it says in the tables."""
    chosen = chosen_systems(config)
    reasons = {}
    for row, entry in all_configurations(config).items():
        if entry["system"] not in chosen and row not in chosen:
            reasons[row] = "not run: left out by run.systems"
        elif "not_run" in entry:
            reasons[row] = f"not run: {entry['not_run']}"
        elif entry.get("heavy") and not config["run"]["heavy"]:
            reasons[row] = "not run: heavy (run.heavy is false)"
        elif entry.get("heavy") and suite in config["run"]["heavy_skip_suites"]:
            reasons[row] = "not run: heavy systems skip this suite (run.heavy_skip_suites)"
        elif suite in entry.get("skip_suites", []):
            reasons[row] = f"not run: skips this suite (systems.{entry['system']}.skip_suites)"
        elif lacking := [command for command in entry.get("requires", []) if shutil.which(command) is None]:
            reasons[row] = f"not run: needs {', '.join(lacking)} on the PATH"
        elif not asks_model(entry):
            continue
        elif not entry["model"]:
            reasons[row] = "not run: no model configured"
        elif config["llm"]["mode"] == "off":
            reasons[row] = "not run: llm.mode is off"
        elif suite in config["llm"]["skip_suites"]:
            reasons[row] = "not run: rows with a model skip this suite (llm.skip_suites)"
    return reasons


def configurations_to_run(config: Mapping[str, Any], suite: str) -> list[str]:
    """Names of the rows that run on a suite."""
    reasons = reasons_not_run(config, suite)
    return [row for row in all_configurations(config) if row not in reasons]


def hook_pairs(rows: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    """(row without a hook, row with one) of the same backend, policies, options and environment.

    Args:
        rows: see `all_configurations`.
    """

    def store(name: str) -> tuple[Any, ...]:
        return tuple(rows[name].get(key) for key in ("backend", "environment", "policies", "options"))

    known = [name for name, row in rows.items() if "backend" in row]
    plain = [name for name in known if "hook" not in rows[name]]
    hooked = [name for name in known if "hook" in rows[name]]
    return [(one, other) for one in plain for other in hooked if store(one) == store(other)]
