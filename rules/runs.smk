# Every system on every suite: a worker in the system's environment, a journal, one Parquet file.
from lethe.environments import PIPELINE
from lethe.systems.registry import backend_entry


def system_environment(wildcards):
    environment = config["systems"][wildcards.system]["environment"]
    return (
        [] if environment == PIPELINE else [f"{ENVIRONMENTS}/{environment}.freeze.txt"]
    )


def system_fingerprint(wildcards):
    entry = backend_entry(config["systems"][wildcards.system]["backend"])
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
    )


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
    params:
        system=lambda wildcards: config["systems"][wildcards.system],
        settings={
            key: value
            for key, value in config["run"].items()
            if key not in ("suites", "systems")
        },
        environments=ENVIRONMENTS,
        journal=OUT + "results/journals/{suite}/{system}.jsonl",
        fingerprint=system_fingerprint,
    script:
        "../workflow_scripts/run_system.py"
