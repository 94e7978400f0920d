# The manifest: what a reviewer checks the results against, with `forgeteval audit`. The report shows its checksum.
from lethe.report.inputs import analysed_paths

ENVIRONMENTS_THAT_RAN = sorted(
    {
        CONFIGURATIONS[configuration].environment
        for suite in SUITES
        for configuration in configurations_to_run(CONFIG, suite)
        if CONFIGURATIONS[configuration].environment != PIPELINE
    }
)


READ_BY_TABLES = {
    *all_paths([*table_specs(SETUP), *figure_specs(SETUP)]),
    *paths_of(measured_inputs(SETUP).values()),
}
# What everything is made from. On one disk it is there once tables and figures are made.
ALL_RESULTS = (
    [
        *input_paths(
            plan.results_behind(SETUP, {*READ_BY_TABLES, *analysed_paths(SUITES)})
        ),
        *sorted({out(path) for run in RUNS.all() for path in run.vectors}),
        *rules.sample_annotations.output,
        *(rules.embed_haystack.output if SIZE_AXIS.enabled else []),
    ]
    if STORED
    else []
)


rule write_manifest:
    input:
        tables=rules.write_tables.output,
        figures=rules.draw_figures.output,
        results=ALL_RESULTS,
        shown=input_paths(analysed_paths(SUITES)),
        calls=rules.export_calls.output.calls if LLM_CHECKS and not STORED else [],
        freezes=[built(f"{name}.freeze.txt") for name in ENVIRONMENTS_THAT_RAN],
    output:
        manifest=out("results/manifest.parquet"),
        versions=out("results/versions.json"),
        crate=out("results/ro-crate-metadata.json"),
    log:
        out("results/logs/manifest.log"),
    params:
        fingerprint=script_fingerprint("write_manifest.py"),
    script:
        "../workflow_scripts/write_manifest.py"
