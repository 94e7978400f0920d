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


JUDGEMENTS = expand(
    rules.judge_suite.output.judgements, suite=JUDGED_SUITE, model=JUDGES
)
