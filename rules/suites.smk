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
        fingerprint=code_fingerprint(
            "cases/suites.py",
            "cases/case.py",
            "cases/template/suite.py",
            "cases/template/families.py",
            "cases/template/words.py",
            "cases/written.py",
            "forgeteval/authored",
            "forgeteval/held_out",
            "schemas.py",
        ),
    script:
        "../workflow_scripts/build_suite.py"
