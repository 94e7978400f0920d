# Annotators: the sample and its sheets go out, filled-in sheets come in, and agreement is measured.
from lethe.admission.annotation.reading import find_sheets

AGREEMENT_TABLES = [
    out(f"paper_tables/{table}.{kind}")
    for table in (
        "agreement",
        "judge_agreement",
        "judge_agreement_published",
        "judge_disagreements",
    )
    for kind in ("tex", "csv")
]


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
        judgements=rules.write_judges.input.judgements,
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


rule write_agreement:
    input:
        measures=rules.score_agreement.output.measures,
        raters=rules.score_agreement.output.raters,
        cases=rules.score_agreement.output.cases,
        published=ROOT / "config" / "published.csv",
    output:
        AGREEMENT_TABLES,
    log:
        out("results/logs/paper/agreement.log"),
    params:
        label=rules.write_judges.params.label,
        judges=rules.write_judges.params.judges,
        not_run=rules.write_judges.params.not_run,
        fingerprint=script_fingerprint("write_agreement.py"),
    script:
        "../workflow_scripts/write_agreement.py"
