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
            "forgeteval/suites.py",
            "forgeteval/cases.py",
            "forgeteval/template_suite.py",
            "forgeteval/template_families.py",
            "forgeteval/template_words.py",
            "forgeteval/authored_suite.py",
            "forgeteval/authored",
            "forgeteval/held_out",
            "schemas.py",
        ),
    script:
        "../workflow_scripts/build_suite.py"
