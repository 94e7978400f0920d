# From trials to pass counts with intervals.
rule score_suite:
    input:
        cases=rules.build_suite.output.cases,
        trials=expand(OUT + "results/runs/{{suite}}/{system}.parquet", system=SYSTEMS),
    output:
        scores=OUT + "results/analysis/{suite}.parquet",
    log:
        OUT + "results/logs/analysis/{suite}.log",
    params:
        fingerprint=code_fingerprint("analysis", "schemas.py"),
    script:
        "../workflow_scripts/score_suite.py"
