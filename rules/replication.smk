# Every published number beside the measured one.
from lethe.analysis.replication.measured import replication_inputs


rule compare_published:
    input:
        input_paths(replication_inputs(SETUP)),
    output:
        rows=out("results/analysis/replication.parquet"),
    log:
        out("results/logs/analysis/replication.log"),
    params:
        setup=SETUP.to_json(),
        root=str(OUT),
        fingerprint=script_fingerprint("compare_published.py"),
    script:
        "../workflow_scripts/compare_published.py"
