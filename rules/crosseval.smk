# Benchmarks of other authors on every memory system: data set -> histories -> vectors -> answers -> scores -> tables.
from lethe.crosseval.datasets import data_stamp
from lethe.crosseval.selection import (
    BENCHMARKS,
    data_path,
    HYBRID,
    equal_runs,
    lengths_of,
    reading_options,
)

CROSSEVAL_DATA = "results/crosseval_data/{benchmark}"

VECTORS_OF_PART = out(f"{CROSSEVAL_DATA}/vectors/{{part}}.parquet")

EQUAL_RUNS = {benchmark: equal_runs(CONFIG, benchmark) for benchmark in BENCHMARKS}


def equal_run(wildcards):
    """The files of a run that is taken over instead of running; none for most."""
    equal = EQUAL_RUNS[wildcards.benchmark].get(wildcards.system)
    kinds = [] if equal is None else ["", "histories/"]
    return [
        out(f"results/crosseval/{wildcards.benchmark}/{kind}{equal}.parquet")
        for kind in kinds
    ]


wildcard_constraints:
    benchmark="|".join(BENCHMARKS),


rule read_dataset:
    output:
        operations=out(f"{CROSSEVAL_DATA}/operations.parquet"),
        questions=out(f"{CROSSEVAL_DATA}/questions.parquet"),
    log:
        out("results/logs/crosseval/{benchmark}/read.log"),
    priority: EMBEDDING_FIRST
    params:
        options=lambda wildcards: reading_options(CONFIG, wildcards.benchmark),
        stamp=lambda wildcards: data_stamp(data_path(CONFIG, wildcards.benchmark)),
        fingerprint=lambda wildcards: script_fingerprint(
            "read_dataset.py", f"lethe.crosseval.{wildcards.benchmark}"
        ),
    script:
        "../workflow_scripts/read_dataset.py"


rule embed_crosseval:
    input:
        operations=rules.read_dataset.output.operations,
        questions=rules.read_dataset.output.questions,
        embedder=rules.prepare_embedder.output.description,
    output:
        vectors=VECTORS_OF_PART,
    log:
        out("results/logs/crosseval/{benchmark}/embed/{part}.log"),
    wildcard_constraints:
        part=r"\d+",
    priority: EMBEDDING_FIRST
    params:
        parts=VECTOR_PARTS,
        fingerprint=script_fingerprint("embed_crosseval.py"),
    script:
        "../workflow_scripts/embed_crosseval.py"


rule run_crosseval:
    input:
        operations=rules.read_dataset.output.operations,
        questions=rules.read_dataset.output.questions,
        vectors=expand(
            VECTORS_OF_PART,
            part=range(VECTOR_PARTS),
            allow_missing=True,
        ),
        clauses=lambda wildcards: clauses_for(
            wildcards.system, f"crosseval/{wildcards.benchmark}"
        ),
        embedder=rules.prepare_embedder.output.description,
        freeze=system_environment,
        weights=weights_of_system,
        server=server_of_system,
        equal=equal_run,
    output:
        answers=out("results/crosseval/{benchmark}/{system}.parquet"),
        histories=out("results/crosseval/{benchmark}/histories/{system}.parquet"),
    log:
        out("results/logs/crosseval/{benchmark}/{system}.log"),
    benchmark:
        out("results/benchmarks/crosseval/{benchmark}/{system}.tsv")
    priority: LONG_JOBS_FIRST
    resources:
        llm=lambda wildcards: 1 if CONFIGURATIONS[wildcards.system].model else 0,
    params:
        system=run_entry_of_system,
        settings={"k": CONFIG.run.k},
        only=lambda wildcards: (
            lengths_of(CONFIG, wildcards.system)
            if wildcards.benchmark == "factcons"
            else None
        ),
        hybrid=lambda wildcards: wildcards.benchmark in HYBRID,
        answering_model=answering_model,
        environments=built(),
        journal=out("results/journals/crosseval/{benchmark}/{system}.jsonl"),
        fingerprint=run_fingerprint_by("run_crosseval.py"),
    script:
        "../workflow_scripts/run_crosseval.py"


rule score_crosseval:
    input:
        unpack(inputs_of(plan.plan_crosseval)),
    output:
        scores=out("results/analysis/crosseval/{benchmark}.parquet"),
    log:
        out("results/logs/analysis/crosseval/{benchmark}.log"),
    params:
        options=options_of(plan.plan_crosseval),
        fingerprint=script_fingerprint("score_crosseval.py"),
    script:
        "../workflow_scripts/score_crosseval.py"
