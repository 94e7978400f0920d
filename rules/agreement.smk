# Annotators: the sample and its sheets go out, filled-in sheets come in, and agreement is measured.
from lethe.admission.annotation.reading import find_sheets


rule sample_annotations:
    input:
        cases=out(f"results/suites/{JUDGED_SUITE}/cases.parquet"),
    output:
        sample=out("results/agreement/sample.parquet"),
        csv=out("results/agreement/sheet.csv"),
        spreadsheet=out("results/agreement/sheet.xlsx"),
    log:
        out("results/logs/agreement/sample.log"),
    params:
        per_category=config["agreement"]["per_category"],
        seed=config["agreement"]["seed"],
        fingerprint=script_fingerprint("sample_annotations.py"),
    script:
        "../workflow_scripts/sample_annotations.py"


rule score_agreement:
    input:
        sample=rules.sample_annotations.output.sample,
        sheets=find_sheets(Path(config["agreement"]["sheets"])),
        judgements=JUDGEMENTS,
    output:
        annotations=out("results/agreement/annotations.parquet"),
        measures=out("results/analysis/agreement/measures.parquet"),
        raters=out("results/analysis/agreement/raters.parquet"),
        cases=out("results/analysis/agreement/cases.parquet"),
    log:
        out("results/logs/agreement/measures.log"),
    params:
        resamples=config["statistics"]["resamples"],
        seed=config["statistics"]["seed"],
        fingerprint=script_fingerprint("score_agreement.py"),
    script:
        "../workflow_scripts/score_agreement.py"
