# Annotators: the sample and its sheets go out, filled-in sheets come in, and agreement is measured.
from lethe.installed import reason_lacking
from lethe.people.annotation.reading import find_sheets


rule sample_annotations:
    input:
        cases=out(f"results/suites/{JUDGED_SUITE}/cases.parquet"),
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
        per_category=CONFIG.agreement.per_category,
        seed=CONFIG.seed,
        fingerprint=script_fingerprint("sample_annotations.py"),
    script:
        "../workflow_scripts/sample_annotations.py"


rule read_annotations:
    input:
        sample=rules.sample_annotations.output.sample,
        sheets=[here(sheet) for sheet in find_sheets(Path(CONFIG.agreement.sheets))],
    output:
        annotations=out("results/agreement/annotations.parquet"),
    log:
        out("results/logs/agreement/annotations.log"),
    params:
        fingerprint=script_fingerprint("read_annotations.py"),
    script:
        "../workflow_scripts/read_annotations.py"


rule score_agreement:
    input:
        unpack(inputs_of(plan.plan_agreement)),
    output:
        measures=out("results/analysis/agreement/measures.parquet"),
        raters=out("results/analysis/agreement/raters.parquet"),
        cases=out("results/analysis/agreement/cases.parquet"),
    log:
        out("results/logs/agreement/measures.log"),
    params:
        options=options_of(plan.plan_agreement),
        fingerprint=script_fingerprint("score_agreement.py"),
    script:
        "../workflow_scripts/score_agreement.py"
