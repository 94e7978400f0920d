# From trials to verdicts under each scorer, and to pass counts with intervals.
rule score_trials:
    input:
        cases=rules.build_suite.output.cases,
        trials=lambda wildcards: expand(
            out("results/runs/{suite}/{configuration}.parquet"),
            suite=wildcards.suite,
            configuration=configurations_to_run(config, wildcards.suite),
        ),
    output:
        verdicts=out("results/analysis/verdicts/{suite}.parquet"),
        scores=out("results/analysis/scores/{suite}.parquet"),
        audit=out("results/analysis/scorer_audit/{suite}.parquet"),
        llm_runs=out("results/analysis/llm_runs/{suite}.parquet"),
        choices=out("results/analysis/hook_choices/{suite}.parquet"),
    log:
        out("results/logs/analysis/{suite}.log"),
    params:
        reference_system=config["paper"]["reference_system"],
        controls=[
            name for name, entry in CONFIGURATIONS.items() if entry.regime == "control"
        ],
        fingerprint=script_fingerprint("score_trials.py"),
    script:
        "../workflow_scripts/score_trials.py"


# Systems against each other: McNemar's tests and paired bootstrap, latency, and the label partition.
rule compare_systems:
    input:
        cases=rules.score_trials.input.cases,
        verdicts=rules.score_trials.output.verdicts,
        trials=rules.score_trials.input.trials,
    output:
        paired=out("results/analysis/paired/{suite}.parquet"),
        latency=out("results/analysis/latency/{suite}.parquet"),
        partition=out("results/analysis/label_partition/{suite}.parquet"),
    log:
        out("results/logs/analysis/compare_systems/{suite}.log"),
    params:
        reference_system=rules.score_trials.params.reference_system,
        controls=rules.score_trials.params.controls,
        hooked=lambda wildcards: [
            hooked
            for plain, hooked in hook_pairs(CONFIGURATIONS)
            if plain == config["paper"]["reference_system"]
            and CONFIGURATIONS[hooked].model
            and hooked in configurations_to_run(config, wildcards.suite)
        ],
        resamples=config["statistics"]["resamples"],
        seed=config["statistics"]["seed"],
        fingerprint=script_fingerprint("compare_systems.py"),
    script:
        "../workflow_scripts/compare_systems.py"


# Cases of one suite that are too alike.
rule find_near_duplicates:
    input:
        cases=rules.build_suite.output.cases,
        vectors=rules.embed_suite.output.vectors,
    output:
        measures=out("results/analysis/near_duplicates/{suite}.parquet"),
    log:
        out("results/logs/analysis/near_duplicates/{suite}.log"),
    params:
        fingerprint=script_fingerprint("find_near_duplicates.py"),
    script:
        "../workflow_scripts/find_near_duplicates.py"
