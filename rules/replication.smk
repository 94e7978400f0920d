# Every published number beside the measured one.
from lethe.study.inputs import PUBLISHED_FILE, paths_of
from lethe.study.replication.measured import measured_inputs


rule compare_published:
    input:
        input_paths([PUBLISHED_FILE, *paths_of(measured_inputs(SETUP).values())]),
    output:
        rows=out("results/analysis/replication.parquet"),
    log:
        out("results/logs/analysis/replication.log"),
    params:
        setup=SETUP.to_json(),
        fingerprint=script_fingerprint("compare_published.py"),
    script:
        "../workflow_scripts/compare_published.py"
