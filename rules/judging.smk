# Stage 2 of admission: judge models on the adversarial suite, and how they agree.
from lethe.admission.judge_families import check_families

with one_line_errors():
    check_families(
        config["models"],
        sorted(
            {
                CONFIGURATIONS[configuration].model
                for suite in SUITES
                for configuration in configurations_to_run(config, suite)
                if CONFIGURATIONS[configuration].model
            }
        ),
        config["llm"]["judges"],
        config["llm"]["allow_same_family"],
    )

JUDGES = list(SETUP.judges)
JUDGED_SUITE = ADVERSARIAL_SUITE


rule judge_suite:
    input:
        cases=rules.build_suite.output.cases,
        weights=lambda wildcards: weights_of_model(wildcards.model),
        server=lambda wildcards: server_of_model(wildcards.model),
    output:
        judgements=out("results/judging/{suite}/{model}.parquet"),
    log:
        out("results/logs/judging/{suite}/{model}.log"),
    wildcard_constraints:
        model="[^/]+",
    threads: lambda wildcards: threads_of_model(wildcards.model)
    resources:
        llm=1,
    params:
        answering_model=lambda wildcards: {
            "family": config["models"][wildcards.model]["family"],
            **answering_options(config["models"][wildcards.model]),
        },
        environments=built(),
        fingerprint=script_fingerprint("judge_suite.py"),
    script:
        "../workflow_scripts/judge_suite.py"


JUDGEMENTS = expand(
    rules.judge_suite.output.judgements, suite=JUDGED_SUITE, model=JUDGES
)
