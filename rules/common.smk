# Checked configuration and the paths that every stage shares.
from pathlib import Path

from lethe.config import (
    check_config,
    chosen_suites,
    reasons_suite_empty,
)
from lethe.environment_extras import extra_files
from lethe.environments import PIPELINE
from lethe.systems.backends import backend_entry
from lethe.errors import one_line_errors
from lethe.provenance import code_fingerprint, file_fingerprint
from lethe.rows import hook_pairs, reasons_not_run, rows_to_run, table_rows

ROOT = Path(workflow.basedir)

with one_line_errors():
    check_config(config, ROOT)

OUT = Path(config["output_dir"])
ENVIRONMENTS = Path(config["environments_dir"])
EMBEDDER = Path("embedders") / (
    f"{Path(config['embedder']['name']).name}-{config['embedder']['max_tokens']}"
)


def out(path):
    """A path below output_dir."""
    return str(OUT / path)


def built(*parts):
    """A path below environments_dir."""
    return str(ENVIRONMENTS.joinpath(*parts))


SUITES = chosen_suites(config)
ROWS = table_rows(config)
LLM_CACHE = out(config["llm"]["cache"])


def suite_source(wildcards):
    options = config["suites"].get(wildcards.suite, {})
    if "intake" in options:
        return Path(options["intake"]) / "cases.jsonl"
    return options.get("source", [])


# What a hooked row's verdicts depend on besides its backend.
HOOKED = ("hooks/planner.py", "systems/hooked.py", "systems/policies.py")
HOOKS = {
    "llm": ("hooks/llm.py", "hooks/client.py", "hooks/prompts"),
    "rules": ("hooks/rules", "hooks/remote.py", "hooks/in_parent.py"),
}


def system_environment(wildcards):
    environment = ROWS[wildcards.system]["environment"]
    return [] if environment == PIPELINE else [built(f"{environment}.freeze.txt")]


def row_fingerprint(row):
    hook = row.get("hook")
    code = code_fingerprint(
        "forgeteval/runner.py",
        "forgeteval/journal.py",
        "forgeteval/worker.py",
        "forgeteval/worker_process.py",
        "forgeteval/trials.py",
        "forgeteval/scorers.py",
        "forgeteval/cases.py",
        "embedding/embedder.py",
        "systems/registry.py",
        "systems/protocol.py",
        "schemas.py",
        *backend_entry(row["backend"]).modules,
        *(() if hook is None else HOOKED + HOOKS[hook]),
    )
    # The rules' libraries stand in the workflow's own environment.
    libraries = file_fingerprint(ROOT / "envs" / "pipeline.lock")
    return f"{code} {libraries}" if hook == "rules" else code


def system_fingerprint(wildcards):
    return row_fingerprint(ROWS[wildcards.system])


# Limits, caps, prices and keys change no answer, so changing them runs nothing again.
ANSWERING = ("base_url", "model", "temperature", "max_tokens", "extra_body")


def answering_model(wildcards):
    options = config["models"].get(ROWS[wildcards.system]["model"], {})
    return {key: options[key] for key in ANSWERING if key in options}


def run_settings_of(row):
    settings = {
        key: value
        for key, value in config["run"].items()
        if key not in ("suites", "systems", "heavy", "heavy_skip_suites")
    }
    if ROWS[row]["model"]:
        settings["repetitions"] = config["llm"]["repetitions"]
    return settings


def run_settings(wildcards):
    return run_settings_of(wildcards.system)


def extended_scores(wildcards):
    suite = EXTENDED_SUITES[wildcards.table]
    return [SCORES.format(suite=suite)] if suite in SUITES else []


def without_family(wildcards):
    off = [] if wildcards.family == "none" else [wildcards.family]
    return {**ROWS[RULES_ROW], "rules_off": off}


def files_of_paper(files, folder, kind):
    flat = [
        str(path)
        for part in files
        for path in ([part] if isinstance(part, str) else part)
    ]
    return sorted(path for path in flat if path.endswith(kind) and f"{folder}/" in path)


def reasons_absent():
    """Why a benchmark, a row on it, or the external suite has no numbers."""
    reasons = {name: reason_absent(config, name) for name in BENCHMARKS}
    reasons = {name: reason for name, reason in reasons.items() if reason is not None}
    for name in REPLICATED_BENCHMARKS:
        for row, reason in crosseval_reasons(config, name).items():
            reasons[f"{name}/{row}"] = reason
    if "external" not in REPLICATED_SUITES:
        reasons["external"] = EMPTY_SUITES.get(
            "external", "not run: no suite of the name external is run"
        )
    return reasons


wildcard_constraints:
    suite="[^/]+",
    system="[^/]+",
    environment="[^/]+",
