# Every system on every suite: a worker in the system's environment, a journal, one Parquet file.
from lethe.environments import PIPELINE
from lethe.systems.registry import backend_entry

# What a hooked row's verdicts depend on besides its backend.
HOOKED = ("hooks", "systems/hooked.py", "systems/policies.py", "store/thresholds.py")


def system_environment(wildcards):
    environment = ROWS[wildcards.system]["environment"]
    return (
        [] if environment == PIPELINE else [f"{ENVIRONMENTS}/{environment}.freeze.txt"]
    )


def system_fingerprint(wildcards):
    entry = backend_entry(ROWS[wildcards.system]["backend"])
    return code_fingerprint(
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
        *entry.modules,
        *(HOOKED if "hook" in ROWS[wildcards.system] else ()),
    )


# Limits, caps, prices and keys change no answer, so changing them runs nothing again.
ANSWERING = ("base_url", "model", "temperature", "max_tokens", "extra_body")


def answering_model(wildcards):
    options = config["models"].get(ROWS[wildcards.system]["model"], {})
    return {key: options[key] for key in ANSWERING if key in options}


def run_settings(wildcards):
    settings = {
        key: value
        for key, value in config["run"].items()
        if key not in ("suites", "systems")
    }
    if ROWS[wildcards.system]["model"]:
        settings["repetitions"] = config["llm"]["repetitions"]
    return settings


rule run_system:
    input:
        cases=rules.build_suite.output.cases,
        vectors=rules.embed_suite.output.vectors,
        embedder=rules.prepare_embedder.output.description,
        freeze=system_environment,
    output:
        trials=OUT + "results/runs/{suite}/{system}.parquet",
    log:
        OUT + "results/logs/runs/{suite}/{system}.log",
    benchmark:
        OUT + "results/benchmarks/runs/{suite}/{system}.tsv"
    resources:
        llm=lambda wildcards: 1 if ROWS[wildcards.system]["model"] else 0,
    params:
        system=lambda wildcards: ROWS[wildcards.system],
        settings=run_settings,
        answering_model=answering_model,
        llm_cache=LLM_CACHE,
        environments=ENVIRONMENTS,
        journal=OUT + "results/journals/{suite}/{system}.jsonl",
        fingerprint=system_fingerprint,
    script:
        "../workflow_scripts/run_system.py"
