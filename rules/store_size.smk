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


rule run_store_size:
    input:
        cases=cases_of(SIZE_AXIS.suite),
        vectors=vectors_of(SIZE_AXIS.suite),
        haystack=rules.embed_haystack.output.haystack,
        embedder=rules.prepare_embedder.output.description,
        freeze=system_environment,
        weights=weights_of_system,
        server=server_of_system,
    output:
        trials=out("results/store_size/{size}/{system}.parquet"),
    log:
        out("results/logs/store_size/{size}/{system}.log"),
    benchmark:
        out("results/benchmarks/store_size/{size}/{system}.tsv")
    wildcard_constraints:
        size=r"\d+",
    params:
        system=rules.run_system.params.system,
        settings=rules.run_system.params.settings,
        answering_model=rules.run_system.params.answering_model,
        cases_per_category=SIZE_AXIS.cases_per_category,
        environments=built(),
        journal=out("results/journals/store_size/{size}/{system}.jsonl"),
        fingerprint=run_fingerprint_by("run_store_size.py"),
    script:
        "../workflow_scripts/run_store_size.py"


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
