# From trials to verdicts under each scorer, and to pass counts with intervals.
rule score_trials:
    input:
        cases=rules.build_suite.output.cases,
        trials=lambda wildcards: expand(
            out("results/runs/{suite}/{row}.parquet"),
            suite=wildcards.suite,
            row=rows_to_run(config, wildcards.suite),
        ),
    output:
        verdicts=out("results/analysis/verdicts/{suite}.parquet"),
        scores=out("results/analysis/scores/{suite}.parquet"),
        audit=out("results/analysis/scorer_audit/{suite}.parquet"),
        llm_runs=out("results/analysis/llm_runs/{suite}.parquet"),
    log:
        out("results/logs/analysis/{suite}.log"),
    params:
        reference_system=config["paper"]["reference_system"],
        controls=[name for name, row in ROWS.items() if row["regime"] == "control"],
        fingerprint=code_fingerprint(
            "analysis/verdicts.py",
            "analysis/scores.py",
            "analysis/intervals.py",
            "analysis/llm_runs.py",
            "analysis/scorer_audit.py",
            "forgeteval/scorers.py",
            "schemas.py",
        ),
    script:
        "../workflow_scripts/score_trials.py"
