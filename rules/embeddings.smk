# Each distinct text of a suite, embedded once.
rule embed_suite:
    input:
        cases=rules.build_suite.output.cases,
        embedder=rules.prepare_embedder.output.description,
    output:
        vectors=out("results/embeddings/{suite}.parquet"),
    log:
        out("results/logs/embeddings/{suite}.log"),
    params:
        batch_size=config["embedder"]["batch_size"],
        fingerprint=script_fingerprint("embed_suite.py"),
    script:
        "../workflow_scripts/embed_suite.py"
