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
