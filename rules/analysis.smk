# From trials to verdicts under each scorer, and to pass counts with intervals.
rule score_trials:
    input:
        cases=rules.build_suite.output.cases,
        trials=expand(OUT + "results/runs/{{suite}}/{system}.parquet", system=SYSTEMS),
    output:
        verdicts=OUT + "results/analysis/verdicts/{suite}.parquet",
        scores=OUT + "results/analysis/scores/{suite}.parquet",
        audit=OUT + "results/analysis/scorer_audit/{suite}.parquet",
    log:
        OUT + "results/logs/analysis/{suite}.log",
    params:
        reference_system=config["paper"]["reference_system"],
        controls=[
            name for name in SYSTEMS if config["systems"][name]["regime"] == "control"
        ],
        fingerprint=code_fingerprint(
            "analysis/verdicts.py",
            "analysis/scores.py",
            "analysis/intervals.py",
            "analysis/scorer_audit.py",
            "forgeteval/scorers.py",
            "schemas.py",
        ),
    script:
        "../workflow_scripts/score_trials.py"
