# Annotators: the sample and its sheets go out, filled-in sheets come in, and agreement is measured.
from lethe.people.annotation.reading import find_sheets


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
