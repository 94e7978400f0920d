# The analysis: each step of lethe/study/steps, rows in and rows out. What suites and other names it has, its files say.
from lethe.study.inputs import PUBLISHED_FILE
from lethe.study.replication.compare import replication_inputs

for STEP_NAME, STEP in plan.STEPS.items():
    MADE = {name: out(table.path) for name, table in STEP.writes.items()}

    rule:
        name:
            STEP_NAME
        input:
            unpack(inputs_of(STEP)),
        output:
            **MADE,
        log:
            log_of(f"analysis/{STEP_NAME}", MADE),
        params:
            step=plan.module_of(STEP_NAME),
            options=options_of(STEP),
            fingerprint=script_fingerprint("run_step.py", plan.module_of(STEP_NAME)),
        script:
            "../workflow_scripts/run_step.py"


# Every published number beside the measured one.
rule compare_published:
    input:
        input_paths([PUBLISHED_FILE, *replication_inputs(SETUP)]),
    output:
        rows=out("results/analysis/replication.parquet"),
    log:
        out("results/logs/analysis/replication.log"),
    params:
        setup=SETUP.to_json(),
        fingerprint=script_fingerprint("compare_published.py"),
    script:
        "../workflow_scripts/compare_published.py"
