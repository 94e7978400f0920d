# Each distinct text of a suite, embedded once; what a suite shares with the one that it revises, or is a sample of, is not
# embedded again.
from lethe.config.selection import related_suite


def related_vectors(wildcards):
    suite = related_suite(config, wildcards.suite)
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
        batch_size=config["embedder"]["batch_size"],
        fingerprint=script_fingerprint("embed_suite.py"),
    script:
        "../workflow_scripts/embed_suite.py"
