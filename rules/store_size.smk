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


rule score_store_size:
    input:
        unpack(inputs_of(plan.plan_store_size)),
    output:
        scores=out("results/analysis/store_size.parquet"),
    log:
        out("results/logs/analysis/store_size.log"),
    params:
        options=options_of(plan.plan_store_size),
        fingerprint=script_fingerprint("score_store_size.py"),
    script:
        "../workflow_scripts/score_store_size.py"
