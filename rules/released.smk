# What the authors released: their verdicts as Parquet, and runs here beside them, case by case.
from lethe.study.released.reading import LABELS_FILE, MEMORA_FILE, VERDICTS_FILE

RELEASE = Path(CONFIG.release.path)


rule read_release:
    input:
        verdicts=here(RELEASE / VERDICTS_FILE),
        memora=here(RELEASE / MEMORA_FILE),
        labels=here(RELEASE / LABELS_FILE),
    output:
        verdicts=out("results/released/verdicts.parquet"),
        memora=out("results/released/memora.parquet"),
        labels=out("results/released/labels.parquet"),
    log:
        out("results/logs/released/read.log"),
    params:
        fingerprint=script_fingerprint("read_release.py"),
    script:
        "../workflow_scripts/read_release.py"


rule compare_released:
    input:
        unpack(inputs_of(plan.plan_released)),
    output:
        replicas=out("results/analysis/released/replicas/{suite}.parquet"),
        paired=out("results/analysis/released/paired/{suite}.parquet"),
        worth=out("results/analysis/released/pass_worth/{suite}.parquet"),
        na=out("results/analysis/released/na/{suite}.parquet"),
        claims=out("results/analysis/released/claims/{suite}.parquet"),
    log:
        out("results/logs/analysis/released/{suite}.log"),
    params:
        options=options_of(plan.plan_released),
        fingerprint=script_fingerprint("compare_released.py"),
    script:
        "../workflow_scripts/compare_released.py"


rule score_released_labels:
    input:
        unpack(inputs_of(plan.plan_released_labels)),
    output:
        measures=out("results/analysis/released/agreement.parquet"),
        raters=out("results/analysis/released/raters.parquet"),
        majority=out("results/analysis/released/majority.parquet"),
        judges=out("results/analysis/released/judges.parquet"),
    log:
        out("results/logs/analysis/released/labels.log"),
    params:
        options=options_of(plan.plan_released_labels),
        fingerprint=script_fingerprint("score_released_labels.py"),
    script:
        "../workflow_scripts/score_released_labels.py"


rule compare_memora:
    input:
        unpack(inputs_of(plan.plan_memora)),
    output:
        replicas=out("results/analysis/released/memora.parquet"),
    log:
        out("results/logs/analysis/released/memora.log"),
    params:
        options=options_of(plan.plan_memora),
        fingerprint=script_fingerprint("compare_memora.py"),
    script:
        "../workflow_scripts/compare_memora.py"
