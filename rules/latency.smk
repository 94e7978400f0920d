# Time per case: a few cases, several times, one configuration after the other with nothing beside it.
rule measure_latency:
    input:
        cases=cases_of(ADVERSARIAL_SUITE),
        vectors=vectors_of(ADVERSARIAL_SUITE),
        embedder=rules.prepare_embedder.output.description,
        freeze=system_environment,
    output:
        trials=out("results/latency/{system}.parquet"),
    log:
        out("results/logs/latency/{system}.log"),
    threads: workflow.resource_settings.cores or 1
    params:
        system=run_entry_of_system,
        settings={
            "k": CONFIG.run.k,
            "repetitions": SETUP.latency.repetitions,
        },
        cases_per_category=SETUP.latency.cases_per_category,
        environments=built(),
        journal=out("results/journals/latency/{system}.jsonl"),
        fingerprint=run_fingerprint_by("measure_latency.py"),
    script:
        "../workflow_scripts/measure_latency.py"


rule score_latency:
    input:
        unpack(inputs_of(plan.plan_latency)),
    output:
        latency=out("results/analysis/latency.parquet"),
    log:
        out("results/logs/analysis/latency.log"),
    params:
        options=options_of(plan.plan_latency),
        fingerprint=script_fingerprint("score_latency.py"),
    script:
        "../workflow_scripts/score_latency.py"
