# The report for people: findings, systems, comparisons, trials, tables and figures on one page, the replication on another.


rule write_report:
    input:
        results=ALL_RESULTS,
        manifest=rules.write_manifest.output.manifest,
        versions=rules.write_manifest.output.versions,
        tables=rules.write_tables.output.json,
        figures=rules.draw_figures.output.png,
    output:
        page=out("results/report/index.html"),
        replication=out("results/report/replication.html"),
    log:
        out("results/logs/report.log"),
    params:
        setup=SETUP.to_json(),
        fingerprint=script_fingerprint("write_report.py"),
    script:
        "../workflow_scripts/write_report.py"
