# Checked configuration and the paths that every stage shares.
from pathlib import Path

from lethe.analysis.inputs import PUBLISHED_FILE
from lethe.analysis.setup import ABLATED, Setup
from lethe.config.check import (
    check_config,
    chosen_suites,
)
from lethe.cases.suites import suite_files
from lethe.environments.extras import extra_files
from lethe.environments.build import PIPELINE
from lethe.systems.backends import backend_entry
from lethe.errors import one_line_errors
from lethe.fingerprints import code_fingerprint, file_fingerprint
from lethe.config.configurations import (
    hook_pairs,
    configurations_to_run,
    all_configurations,
)

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


def input_paths(names):
    """The files of a specification's inputs, by their names in lethe.analysis.inputs."""
    return [ROOT / name if name == PUBLISHED_FILE else out(name) for name in names]


SUITES = chosen_suites(config)
TEMPLATE_SUITE = config["paper"]["template_suite"]
ADVERSARIAL_SUITE = config["paper"]["adversarial_suite"]
CONFIGURATIONS = all_configurations(config)
SETUP = Setup.from_config(config)
LLM_CACHE = out(config["llm"]["cache"])


def suite_source(wildcards):
    return suite_files(config["suites"][wildcards.suite])


# What a hooked row's verdicts depend on besides its backend.
HOOKED = ("planners/protocol.py", "systems/hooked.py", "systems/policies.py")
HOOKS = {
    "llm": (
        "planners/llm/planner.py",
        "planners/llm/client.py",
        "planners/llm/prompts",
    ),
    "matcher": ("planners/matcher", "planners/remote.py", "run/access.py"),
}


def system_environment(wildcards):
    environment = CONFIGURATIONS[wildcards.system]["environment"]
    return [] if environment == PIPELINE else [built(f"{environment}.freeze.txt")]


def configuration_fingerprint(row):
    hook = row.get("hook")
    code = code_fingerprint(
        "run/runner.py",
        "run/journal.py",
        "run/worker.py",
        "run/worker_process.py",
        "run/trials.py",
        "cases/scorers.py",
        "cases/case.py",
        "embedding/embedder.py",
        "systems/registry.py",
        "systems/protocol.py",
        "schemas.py",
        *backend_entry(row["backend"]).modules,
        *(() if hook is None else HOOKED + HOOKS[hook]),
    )
    # The rules' libraries stand in the workflow's own environment.
    libraries = file_fingerprint(ROOT / "envs" / "pipeline.lock")
    return f"{code} {libraries}" if hook == "matcher" else code


def system_fingerprint(wildcards):
    return configuration_fingerprint(CONFIGURATIONS[wildcards.system])


# Limits, caps, prices and keys change no answer, so changing them runs nothing again.
ANSWERING = ("base_url", "model", "temperature", "max_tokens", "extra_body")


def answering_model(wildcards):
    options = config["models"].get(CONFIGURATIONS[wildcards.system]["model"], {})
    return {key: options[key] for key in ANSWERING if key in options}


def run_settings_of(row):
    settings = {
        key: value
        for key, value in config["run"].items()
        if key not in ("suites", "systems", "heavy", "heavy_skip_suites")
    }
    if CONFIGURATIONS[row]["model"]:
        settings["repetitions"] = config["llm"]["repetitions"]
    return settings


def run_settings(wildcards):
    return run_settings_of(wildcards.system)


def without_family(wildcards):
    off = [] if wildcards.family == "none" else [wildcards.family]
    return {**CONFIGURATIONS[ABLATED], "evidence_off": off}


wildcard_constraints:
    suite="[^/]+",
    system="[^/]+",
    environment="[^/]+",
