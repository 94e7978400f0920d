# The analysis: each step of lethe/study/plan.py, rows in and rows out. What suites and other names it has, its files say.
from importlib import import_module

from lethe.study.inputs import PUBLISHED_FILE
from lethe.study.replication.compare import replication_inputs

STEPS = "lethe.study.steps"

for STEP_NAME, PLAN in plan.PLANS.items():
    WRITES = import_module(f"{STEPS}.{STEP_NAME}").STEP.writes
    NAMES = re.findall(r"\{\w+\}", next(iter(WRITES.values())).path)

    rule:
        name:
            STEP_NAME
        input:
            unpack(inputs_of(PLAN)),
        output:
            **{name: out(table.path) for name, table in WRITES.items()},
        log:
            out("/".join(["results/logs/analysis", STEP_NAME, *NAMES]) + ".log"),
        params:
            step=f"{STEPS}.{STEP_NAME}",
            options=options_of(PLAN),
            fingerprint=script_fingerprint("run_step.py", f"{STEPS}.{STEP_NAME}"),
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
