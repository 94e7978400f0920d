# What runs: the systems' own environments, and the embedder.
rule build_environment:
    input:
        lock=ROOT / "envs" / "{environment}.lock",
    output:
        freeze=ENVIRONMENTS + "/{environment}.freeze.txt",
    log:
        OUT + "results/logs/environments/{environment}.log",
    params:
        folder=ENVIRONMENTS + "/{environment}",
    script:
        "../workflow_scripts/build_environment.py"


rule prepare_embedder:
    output:
        description=EMBEDDER + "/embedder.json",
    log:
        OUT + "results/logs/environments/embedder.log",
    params:
        embedder=config["embedder"],
        fingerprint=code_fingerprint("embedding/minilm.py", "embedding/prepare.py"),
    script:
        "../workflow_scripts/prepare_embedder.py"
