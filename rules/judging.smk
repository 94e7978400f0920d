# Stage 2 of admission: judge models on the adversarial suite, and how they agree.
from lethe.admission.judge_families import check_families
from lethe.tables.judges import NO_JUDGE

with one_line_errors():
    check_families(
        config["models"],
        sorted(
            {
                CONFIGURATIONS[row]["model"]
                for suite in SUITES
                for row in configurations_to_run(config, suite)
                if CONFIGURATIONS[row]["model"]
            }
        ),
        config["llm"]["judges"],
        config["llm"]["allow_same_family"],
    )

JUDGING_OFF = config["llm"]["mode"] == "off" and bool(config["llm"]["judges"])
JUDGES = [] if JUDGING_OFF else config["llm"]["judges"]
JUDGED_SUITE = config["paper"]["adversarial_suite"]
JUDGE_TABLES = [
    out(f"paper_tables/{table}.{kind}")
    for table in ("judge_audit", "judge_matrix")
    for kind in ("tex", "csv")
]


rule judge_suite:
    input:
        cases=rules.build_suite.output.cases,
    output:
        judgements=out("results/judging/{suite}/{model}.parquet"),
    log:
        out("results/logs/judging/{suite}/{model}.log"),
    wildcard_constraints:
        model="[^/]+",
    resources:
        llm=1,
    params:
        # Limits, caps, prices and keys change no verdict, so changing them asks nothing again.
        answering_model=lambda wildcards: {
            key: value
            for key, value in config["models"][wildcards.model].items()
            if key
            in (
                "base_url",
                "model",
                "family",
                "temperature",
                "max_tokens",
                "extra_body",
            )
        },
        fingerprint=script_fingerprint("judge_suite.py"),
    script:
        "../workflow_scripts/judge_suite.py"


rule write_judges:
    input:
        judgements=expand(
            rules.judge_suite.output.judgements, suite=JUDGED_SUITE, model=JUDGES
        ),
    output:
        audit_latex=JUDGE_TABLES[0],
        audit_csv=JUDGE_TABLES[1],
        matrix_latex=JUDGE_TABLES[2],
        matrix_csv=JUDGE_TABLES[3],
    log:
        out("results/logs/paper/judges.log"),
    params:
        label=config["suites"][JUDGED_SUITE].get("label", JUDGED_SUITE),
        judges={name: config["models"][name].get("label", name) for name in JUDGES},
        not_run="not run: llm.mode is off" if JUDGING_OFF else NO_JUDGE,
        fingerprint=script_fingerprint("write_judges.py"),
    script:
        "../workflow_scripts/write_judges.py"
