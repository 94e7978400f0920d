# Cases: generated, authored or imported, as one Parquet file a suite.


# On request alone: snakemake results/suite_data/published/checked.txt
rule fetch_suite:
    output:
        checked=out("results/suite_data/{suite}/checked.txt"),
    log:
        out("results/logs/suites/{suite}.fetch.log"),
    wildcard_constraints:
        suite="|".join(name for name, suite in CONFIG.suites.items() if suite.url),
    params:
        options=lambda wildcards: CONFIG.suites[wildcards.suite].options(),
        fingerprint=script_fingerprint("fetch_suite.py"),
    script:
        "../workflow_scripts/fetch_suite.py"


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
