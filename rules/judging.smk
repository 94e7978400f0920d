# Stage 2 of admission: judge models on the adversarial suite, and on the released cases that people labelled.
from lethe.installed import reason_lacking
from lethe.people.annotation.reading import SHEETS, find_sheets
from lethe.people.annotation.sample import CASES_PER_CATEGORY

JUDGED_SUITE = CONFIG.paper.adversarial_suite


def labels_of_suite(wildcards):
    """The labels that choose a released suite's cases; the adversarial suite is judged whole."""
    labelled = wildcards.suite == SETUP.labelled_suite != JUDGED_SUITE
    return out(schemas.RELEASED_LABELS.path) if labelled else []


rule judge_suite:
    input:
        unpack(lambda wildcards: files_of_model(wildcards.model)),
        cases=rules.build_suite.output.cases,
        labels=labels_of_suite,
    output:
        judgements=out("results/judging/{suite}/{model}.parquet"),
    log:
        out("results/logs/judging/{suite}/{model}.log"),
    threads: lambda wildcards: threads_of_model(wildcards.model)
    resources:
        llm=1,
    params:
        answering_model=lambda wildcards: {
            "family": CONFIG.models[wildcards.model].family,
            **answering_options(CONFIG, wildcards.model),
        },
        environments=built(),
        fingerprint=script_fingerprint("judge_suite.py"),
    script:
        "../workflow_scripts/judge_suite.py"


JUDGEMENTS = [
    out(schemas.JUDGEMENTS.path.format(suite=suite, model=model))
    for suite in SETUP.judged_suites()
    for model in SETUP.judging(suite)
]


# Annotators: the sample and its sheets go out, filled-in sheets come in.
rule sample_annotations:
    input:
        cases=cases_of(JUDGED_SUITE),
    output:
        **(
            {}
            if reason_lacking("sheets")
            else {"spreadsheet": out("results/agreement/sheet.xlsx")}
        ),
        sample=out("results/agreement/sample.parquet"),
        csv=out("results/agreement/sheet.csv"),
    log:
        out("results/logs/agreement/sample.log"),
    params:
        per_category=CASES_PER_CATEGORY,
        seed=CONFIG.seed,
        fingerprint=script_fingerprint("sample_annotations.py"),
    script:
        "../workflow_scripts/sample_annotations.py"


rule read_annotations:
    input:
        cases=cases_of(JUDGED_SUITE),
        sample=rules.sample_annotations.output.sample,
        sheets=[here(sheet) for sheet in one_line_errors()(find_sheets)(Path(SHEETS))],
    output:
        annotations=out("results/agreement/annotations.parquet"),
    log:
        out("results/logs/agreement/annotations.log"),
    params:
        contents=one_line_errors()(files_fingerprint)(find_sheets(Path(SHEETS))),
        fingerprint=script_fingerprint("read_annotations.py"),
    script:
        "../workflow_scripts/read_annotations.py"
