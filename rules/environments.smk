from lethe.config.configurations import lock_file
from lethe.embedding.prepare import MAX_TOKENS, embedder_options


# What runs: the systems' own environments, and the embedder.
rule build_environment:
    input:
        lock=lambda wildcards: here(lock_file(ROOT, wildcards.environment)),
        extras=lambda wildcards: [
            here(file)
            for lock in [lock_file(ROOT, wildcards.environment)]
            for file in extra_files(lock.parent, lock.stem)
        ],
    output:
        freeze=built("{environment}.freeze.txt"),
    log:
        out("results/logs/environments/{environment}.log"),
    priority: EMBEDDING_FIRST
    params:
        folder=built("{environment}"),
        fingerprint=script_fingerprint("build_environment.py"),
    script:
        "../workflow_scripts/build_environment.py"


rule prepare_embedder:
    output:
        description=built(
            "embedders",
            f"{Path(CONFIG.embedder).name}-{MAX_TOKENS}",
            "embedder.json",
        ),
    log:
        out("results/logs/environments/embedder.log"),
    priority: EMBEDDING_FIRST
    params:
        embedder=embedder_options(CONFIG.embedder),
        fingerprint=script_fingerprint("prepare_embedder.py"),
    script:
        "../workflow_scripts/prepare_embedder.py"
