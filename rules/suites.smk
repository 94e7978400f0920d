# Cases: generated, authored or imported, as one Parquet file a suite.


rule build_suite:
    input:
        source=suite_source,
    output:
        cases=out("results/suites/{suite}/cases.parquet"),
    log:
        out("results/logs/suites/{suite}.log"),
    priority: EMBEDDING_FIRST
    params:
        options=suite_options,
        fingerprint=script_fingerprint("build_suite.py"),
    script:
        "../workflow_scripts/build_suite.py"
