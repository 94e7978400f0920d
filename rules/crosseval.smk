# Benchmarks of other authors on every memory system: data set -> histories -> vectors -> answers -> scores -> tables.
from lethe.crosseval.datasets import data_stamp
from lethe.crosseval.selection import (
    BENCHMARKS,
    data_path,
    reading_options,
)

CROSSEVAL_DATA = "results/crosseval_data/{benchmark}"

VECTORS_OF_PART = out(f"{CROSSEVAL_DATA}/vectors/{{part}}.parquet")


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
