# Each distinct text of some material, embedded once. Functions of the package give the texts from the files that are read.
from lethe.config.selection import related_suite


def related_vectors(wildcards):
    """What a suite shares with the one that it revises, or is a sample of, is not embedded again."""
    suite = related_suite(CONFIG, wildcards.suite)
    return out(f"results/embeddings/{suite}.parquet") if suite else []


SIZE_AXIS = SETUP.store_size
EMBEDDED = {
    "embed_suite": dict(
        texts="lethe.stored.cases:suite_texts",
        input=dict(cases=rules.build_suite.output.cases, known=related_vectors),
        output=dict(vectors=out("results/embeddings/{suite}.parquet")),
    ),
    "embed_suite_further": dict(
        texts="lethe.stored.cases:suite_texts",
        input=dict(
            cases=rules.build_suite.output.cases,
            embedder=rules.prepare_further_embedder.output.description,
        ),
        output=dict(
            vectors=out("results/embedder_ablation/{embedder}/vectors/{suite}.parquet")
        ),
    ),
    "embed_long": dict(
        texts="lethe.stored.histories:long_texts",
        input=dict(events=rules.build_long.output.events),
        output=dict(vectors=out("results/long/vectors.parquet")),
    ),
    "embed_crosseval": dict(
        texts="lethe.crosseval.records:benchmark_texts",
        input=dict(
            operations=rules.read_dataset.output.operations,
            questions=rules.read_dataset.output.questions,
        ),
        output=dict(vectors=out(f"{CROSSEVAL_DATA}/vectors.parquet")),
    ),
    # The cases of the store-size axis among unrelated memories, and those of the erasure audit.
    "embed_haystack": dict(
        texts="lethe.stored.haystack:haystack_texts",
        input=dict(cases=cases_of(SIZE_AXIS.suite)),
        output=dict(haystack=out("results/store_size/haystack.parquet")),
        options=dict(
            rows=max(SIZE_AXIS.sizes),
            seed=CONFIG.seed,
            cases_per_category=SIZE_AXIS.cases_per_category,
        ),
    ),
    "embed_erasure": dict(
        texts="lethe.stored.erasure:erasure_texts",
        input=dict(cases=rules.build_erasure.output.cases),
        output=dict(
            vectors=out("results/erasure/vectors.parquet"),
            haystack=out("results/erasure/haystack.parquet"),
        ),
        options=dict(rows=max(CONFIG.erasure.rows), seed=CONFIG.seed),
    ),
}

for EMBED_NAME, EMBED in EMBEDDED.items():

    rule:
        name:
            EMBED_NAME
        input:
            **{
                "embedder": rules.prepare_embedder.output.description,
                **EMBED["input"],
            },
        output:
            **EMBED["output"],
        log:
            log_of(EMBED_NAME, EMBED["output"]),
        priority: EMBEDDING_FIRST
        # Else the texts of a benchmark would be the longest way through the workflow.
        threads: 2
        params:
            texts=EMBED["texts"],
            options=EMBED.get("options", {}),
            fingerprint=script_fingerprint("embed.py", EMBED["texts"].partition(":")[0]),
        script:
            "../workflow_scripts/embed.py"
