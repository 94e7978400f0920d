# The report for people: every table and figure, and an explorer of every trial, on one page.


rule write_report:
    input:
        tables=files_of_paper(PAPER_FILES, "paper_tables", ".csv"),
        latex=files_of_paper(PAPER_FILES, "paper_tables", ".tex"),
        figures=files_of_paper(PAPER_FILES, "figures", ".png"),
        cases=expand(rules.build_suite.output.cases, suite=SUITES),
        trials=[
            out(f"results/runs/{suite}/{row}.parquet")
            for suite in SUITES
            for row in configurations_to_run(config, suite)
        ],
    output:
        page=out("results/report/index.html"),
    log:
        out("results/logs/report.log"),
    params:
        suites=SUITES,
        systems=CONFIGURATIONS,
        suite_labels=LABELS["suites"],
        fingerprint=script_fingerprint("write_report.py"),
    script:
        "../workflow_scripts/write_report.py"
