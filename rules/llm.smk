# What configurations with a chat model leave behind: the log of every call, and a check that the model answered at all.
from lethe.config.model import LLM_CACHE

LLM_RUNS = [
    out(f"results/runs/{suite}/{configuration}.parquet")
    for suite in SUITES
    for configuration in configurations_to_run(CONFIG, suite)
    if CONFIGURATIONS[configuration].model
]


rule export_calls:
    input:
        runs=LLM_RUNS,
        judgements=JUDGEMENTS,
    output:
        calls=out("results/llm/calls.parquet"),
    log:
        out("results/logs/llm/calls.log"),
    params:
        cache=out(LLM_CACHE),
        fingerprint=script_fingerprint("export_calls.py"),
    script:
        "../workflow_scripts/export_calls.py"


# After the tables, which show the errors: a run whose model never answered must not look like success.
rule check_llm_runs:
    input:
        tables=out("paper_tables/llm_cost.csv"),
        runs=expand(out("results/analysis/llm_runs/{suite}.parquet"), suite=SUITES),
        judgements=JUDGEMENTS,
    output:
        checked=out("results/llm/checked.txt"),
    log:
        out("results/logs/llm/checked.log"),
    params:
        fingerprint=script_fingerprint("check_llm_runs.py"),
    script:
        "../workflow_scripts/check_llm_runs.py"


# Calls are logged on the machine that made them: where jobs run on several, there is no log of all.
LLM_CHECKS = (
    [*([] if STORED else rules.export_calls.output), *rules.check_llm_runs.output]
    if LLM_RUNS or JUDGEMENTS
    else []
)
