# Every configuration on every suite: a worker in the system's environment, a journal, one Parquet file.
from lethe.config.selection import revised_suites

REVISED = {suite: revised_suites(CONFIG, suite) for suite in SUITES}


def run_resources(wildcards):
    return 1 if CONFIGURATIONS[wildcards.system].model else 0


def revised(wildcards, path):
    """A file of the suite whose trials stand for those of equal cases; nothing where there is none."""
    suite = REVISED[wildcards.suite].get(wildcards.system)
    return out(path.format(suite=suite, system=wildcards.system)) if suite else []


rule run_system:
    input:
        revised_cases=lambda wildcards: revised(
            wildcards, "results/suites/{suite}/cases.parquet"
        ),
        revised_trials=lambda wildcards: revised(
            wildcards, "results/runs/{suite}/{system}.parquet"
        ),
        cases=rules.build_suite.output.cases,
        vectors=rules.embed_suite.output.vectors,
        clauses=lambda wildcards: clauses_for(
            wildcards.system, f"suites/{wildcards.suite}"
        ),
        embedder=rules.prepare_embedder.output.description,
        freeze=system_environment,
        weights=weights_of_system,
        server=server_of_system,
        recorded=recorded_of_system,
    output:
        trials=out("results/runs/{suite}/{system}.parquet"),
    log:
        out("results/logs/runs/{suite}/{system}.log"),
    benchmark:
        out("results/benchmarks/runs/{suite}/{system}.tsv")
    threads: lambda wildcards: threads_of_model(CONFIGURATIONS[wildcards.system].model)
    resources:
        llm=run_resources,
    params:
        system=run_entry_of_system,
        settings=run_settings,
        answering_model=answering_model,
        environments=built(),
        journal=out("results/journals/{suite}/{system}.jsonl"),
        fingerprint=run_fingerprint_by("run_system.py"),
    script:
        "../workflow_scripts/run_system.py"
