# Cases: generated, authored or imported, as one Parquet file a suite.
rule build_suite:
    input:
        source=suite_source,
    output:
        cases=out("results/suites/{suite}/cases.parquet"),
    log:
        out("results/logs/suites/{suite}.log"),
    params:
        options=lambda wildcards: config["suites"][wildcards.suite],
        fingerprint=code_fingerprint("cases", "schemas.py"),
    script:
        "../workflow_scripts/build_suite.py"
