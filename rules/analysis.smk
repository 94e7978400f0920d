# From trials to verdicts under each scorer, and to pass counts with intervals.
rule score_trials:
    input:
        unpack(inputs_of(plan.plan_trials)),
    output:
        verdicts=out("results/analysis/verdicts/{suite}.parquet"),
        scores=out("results/analysis/scores/{suite}.parquet"),
        states=out("results/analysis/fact_states/{suite}.parquet"),
        audit=out("results/analysis/scorer_audit/{suite}.parquet"),
        llm_runs=out("results/analysis/llm_runs/{suite}.parquet"),
        choices=out("results/analysis/hook_choices/{suite}.parquet"),
    log:
        out("results/logs/analysis/{suite}.log"),
    params:
        options=options_of(plan.plan_trials),
        fingerprint=script_fingerprint("score_trials.py"),
    script:
        "../workflow_scripts/score_trials.py"


# Systems against each other: McNemar's tests and paired bootstrap, and the label partition.
rule compare_systems:
    input:
        unpack(inputs_of(plan.plan_systems)),
    output:
        paired=out("results/analysis/paired/{suite}.parquet"),
        partition=out("results/analysis/label_partition/{suite}.parquet"),
    log:
        out("results/logs/analysis/compare_systems/{suite}.log"),
    params:
        options=options_of(plan.plan_systems),
        fingerprint=script_fingerprint("compare_systems.py"),
    script:
        "../workflow_scripts/compare_systems.py"


# Cases and their twins, which ask to forget what is not stored.
rule pair_twins:
    input:
        unpack(inputs_of(plan.plan_twins)),
    output:
        pairs=out("results/analysis/twins/{suite}.parquet"),
    log:
        out("results/logs/analysis/pair_twins/{suite}.log"),
    params:
        options=options_of(plan.plan_twins),
        fingerprint=script_fingerprint("pair_twins.py"),
    script:
        "../workflow_scripts/pair_twins.py"


# Cases of one suite that are too alike.
rule find_near_duplicates:
    input:
        unpack(inputs_of(plan.plan_near_duplicates)),
    output:
        measures=out("results/analysis/near_duplicates/{suite}.parquet"),
    log:
        out("results/logs/analysis/near_duplicates/{suite}.log"),
    params:
        options=options_of(plan.plan_near_duplicates),
        fingerprint=script_fingerprint("find_near_duplicates.py"),
    script:
        "../workflow_scripts/find_near_duplicates.py"
