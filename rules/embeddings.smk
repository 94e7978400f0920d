# Each distinct text of a suite, embedded once; what a suite shares with the one that it revises, or is a sample of, is not
# embedded again.
from lethe.config.selection import related_suite
from lethe.study.paths import VECTOR_PARTS, vectors_of_material


def related_vectors(wildcards):
    suite = related_suite(CONFIG, wildcards.suite)
    return out(f"results/embeddings/{suite}.parquet") if suite else []


rule embed_suite:
    input:
        known=related_vectors,
        cases=rules.build_suite.output.cases,
        embedder=rules.prepare_embedder.output.description,
    output:
        vectors=out("results/embeddings/{suite}.parquet"),
    log:
        out("results/logs/embeddings/{suite}.log"),
    priority: EMBEDDING_FIRST
    params:
        fingerprint=script_fingerprint("embed_suite.py"),
    script:
        "../workflow_scripts/embed_suite.py"


# The same cases among unrelated memories.
SIZE_AXIS = SETUP.store_size


rule embed_haystack:
    input:
        cases=cases_of(SIZE_AXIS.suite),
        embedder=rules.prepare_embedder.output.description,
    output:
        haystack=out("results/store_size/haystack.parquet"),
    log:
        out("results/logs/store_size/haystack.log"),
    threads: 2
    params:
        rows=max(SIZE_AXIS.sizes),
        seed=CONFIG.seed,
        cases_per_category=SIZE_AXIS.cases_per_category,
        fingerprint=script_fingerprint("embed_haystack.py"),
    script:
        "../workflow_scripts/embed_haystack.py"


rule embed_suite_further:
    input:
        cases=rules.build_suite.output.cases,
        embedder=rules.prepare_further_embedder.output.description,
    output:
        vectors=out("results/embedder_ablation/{embedder}/vectors/{suite}.parquet"),
    log:
        out("results/logs/embedder_ablation/{embedder}/vectors/{suite}.log"),
    params:
        fingerprint=script_fingerprint("embed_suite.py"),
    script:
        "../workflow_scripts/embed_suite.py"


rule embed_long:
    input:
        events=rules.build_long.output.events,
        embedder=rules.prepare_embedder.output.description,
    output:
        vectors=out("results/long/vectors/{part}.parquet"),
    log:
        out("results/logs/long/embed/{part}.log"),
    wildcard_constraints:
        part=r"\d+",
    priority: EMBEDDING_FIRST
    params:
        parts=VECTOR_PARTS,
        fingerprint=script_fingerprint("embed_long.py"),
    script:
        "../workflow_scripts/embed_long.py"


rule embed_crosseval:
    input:
        operations=rules.read_dataset.output.operations,
        questions=rules.read_dataset.output.questions,
        embedder=rules.prepare_embedder.output.description,
    output:
        vectors=out(f"{CROSSEVAL_DATA}/vectors/{{part}}.parquet"),
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


rule embed_erasure:
    input:
        cases=rules.build_erasure.output.cases,
        embedder=rules.prepare_embedder.output.description,
    output:
        vectors=out("results/erasure/vectors.parquet"),
        haystack=out("results/erasure/haystack.parquet"),
    log:
        out("results/logs/erasure/embed.log"),
    threads: 2
    params:
        rows=max(CONFIG.erasure.rows),
        seed=CONFIG.seed,
        fingerprint=script_fingerprint("embed_erasure.py"),
    script:
        "../workflow_scripts/embed_erasure.py"
