# The manifest: what a reviewer checks the results against, with `lethe audit`. The report shows its checksum.
ENVIRONMENTS_THAT_RAN = sorted(
    {
        CONFIGURATIONS[configuration].environment
        for suite in SUITES
        for configuration in configurations_to_run(config, suite)
        if CONFIGURATIONS[configuration].environment != PIPELINE
    }
)


rule write_manifest:
    input:
        tables=rules.write_tables.output,
        figures=rules.draw_figures.output,
        calls=rules.export_calls.output.calls if LLM_CHECKS else [],
        freezes=[built(f"{name}.freeze.txt") for name in ENVIRONMENTS_THAT_RAN],
    output:
        manifest=out("results/manifest.parquet"),
        versions=out("results/versions.json"),
    log:
        out("results/logs/manifest.log"),
    params:
        root=str(OUT),
        fingerprint=script_fingerprint("write_manifest.py"),
    script:
        "../workflow_scripts/write_manifest.py"
