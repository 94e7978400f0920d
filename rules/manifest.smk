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
READ_BY_MATCHER = {
    name: [
        *(f"suites/{suite}" for suite in SUITES if SETUP.runs(name, suite)),
        *(
            f"crosseval/{benchmark}"
            for benchmark, options in SETUP.benchmarks.items()
            if options.runs and name not in options.not_run
        ),
        *(["long"] if name in SETUP.long.configurations else []),
    ]
    for name, entry in CONFIGURATIONS.items()
    if entry.hook == "matcher"
}
# What everything is made from. On one disk it is there once tables and figures are made.
ALL_RESULTS = (
    [
        *input_paths(
            plan.results_behind(SETUP, {*READ_BY_TABLES, *analysed_paths(SUITES)})
        ),
        *map(vectors_of, SUITES),
        *expand(FURTHER_VECTORS, embedder=FURTHER_EMBEDDERS),
        *sorted(
            {
                clauses_for(name, material)
                for name, read in READ_BY_MATCHER.items()
                for material in read
            }
        ),
        *rules.sample_annotations.output,
        *(rules.embed_haystack.output if SIZE_AXIS.enabled else []),
        *(
            out(
                f"{CROSSEVAL_DATA}/vectors/{{part}}.parquet".format(
                    benchmark=name, part=part
                )
            )
            for name, options in SETUP.benchmarks.items()
            if options.runs
            for part in range(VECTOR_PARTS)
        ),
        *(VECTORS_OF_LONG if SETUP.long.configurations else []),
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
