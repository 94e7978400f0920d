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
