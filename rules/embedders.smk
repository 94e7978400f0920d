# Further embedders: each prepared from its source, and the adversarial suite run with it.
from lethe.study.embedder_origins import embedder_origins

EMBEDDER_LOCKS = ROOT / "envs" / "embedders"
FURTHER_EMBEDDER = built(f"embedders/further/{{embedder}}-{MAX_TOKENS}/embedder.json")
FURTHER_EMBEDDERS = SETUP.embedder_ablation.embedders_to_run()


def embedder_lock(wildcards):
    """A model from the hub has none."""
    if CONFIG.embedders[wildcards.embedder].hub is not None:
        return []
    return here(EMBEDDER_LOCKS / f"{wildcards.embedder}.lock")


rule prepare_further_embedder:
    input:
        lock=embedder_lock,
    output:
        description=FURTHER_EMBEDDER,
    log:
        out("results/logs/environments/embedders/{embedder}.log"),
    params:
        options=lambda wildcards: CONFIG.embedders[wildcards.embedder].model_dump(
            exclude_unset=True, exclude={"languages"}
        ),
        max_tokens=MAX_TOKENS,
        fingerprint=script_fingerprint("prepare_further_embedder.py"),
    script:
        "../workflow_scripts/prepare_further_embedder.py"


rule describe_embedders:
    input:
        descriptions=[
            rules.prepare_embedder.output.description,
            *expand(FURTHER_EMBEDDER, embedder=FURTHER_EMBEDDERS),
        ],
    output:
        embedders=out("results/analysis/embedders.parquet"),
    log:
        out("results/logs/analysis/embedders.log"),
    params:
        embedders=embedder_origins(CONFIG, SETUP, EMBEDDER_LOCKS),
        fingerprint=script_fingerprint("describe_embedders.py"),
    script:
        "../workflow_scripts/describe_embedders.py"
