# Every configuration on every suite: a worker in the system's environment, a journal, one Parquet file. Where `run.shards`
# says so, several jobs run a part of the cases each, and another joins their trials.
import re

from lethe.config.selection import revised_suites
from lethe.jobs.shards import shards_of

SHARDS = {
    name: shards_of(1, entry)
    for name, entry in CONFIGURATIONS.items()
}
SHARD_TRIALS = out("results/shards/{suite}/{system}/{number}-of-{of}.parquet")
REVISED = {suite: revised_suites(CONFIG, suite) for suite in SUITES}


def any_of(names):
    """A pattern for the wildcard `system`; one that nothing fits where there are no names."""
    return "|".join(map(re.escape, names)) or "(?!)"


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
    wildcard_constraints:
        system=any_of(name for name, shards in SHARDS.items() if shards == 1),
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


use rule run_system as run_shard with:
    output:
        trials=temp(SHARD_TRIALS),
    log:
        out("results/logs/runs/{suite}/{system}/{number}-of-{of}.log"),
    benchmark:
        out("results/benchmarks/runs/{suite}/{system}/{number}-of-{of}.tsv")
    wildcard_constraints:
        number=r"\d+",
        of=r"\d+",
    params:
        shard=lambda wildcards: {
            "number": int(wildcards.number) - 1,
            "of": int(wildcards.of),
        },
        system=run_entry_of_system,
        settings=run_settings,
        answering_model=answering_model,
        environments=built(),
        journal=out("results/journals/{suite}/{system}/{number}-of-{of}.jsonl"),
        fingerprint=run_fingerprint_by("run_system.py"),


def shards_of_run(wildcards):
    of = SHARDS[wildcards.system]
    return expand(
        SHARD_TRIALS,
        number=range(1, of + 1),
        of=of,
        **wildcards,
    )


rule join_shards:
    input:
        shards=shards_of_run,
    output:
        trials=out("results/runs/{suite}/{system}.parquet"),
    log:
        out("results/logs/runs/{suite}/{system}.joined.log"),
    wildcard_constraints:
        system=any_of(name for name, shards in SHARDS.items() if shards > 1),
    params:
        run=run_fingerprint_by("run_system.py"),
        fingerprint=script_fingerprint("join_shards.py"),
    script:
        "../workflow_scripts/join_shards.py"
