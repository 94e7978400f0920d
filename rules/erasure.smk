# The erasure audit: written sentences -> cases -> vectors -> records -> verdicts.
from forgeteval.cases.erasure.generate import FILE as ERASURE_MATERIAL


rule build_erasure:
    input:
        material=here(f"suites/erasure/{ERASURE_MATERIAL}"),
    output:
        cases=out(schemas.ERASURE_CASES.path),
    log:
        out("results/logs/erasure/build.log"),
    params:
        seed=CONFIG.seed,
        cases=SETUP.erasure.cases,
        fingerprint=script_fingerprint("build_erasure.py"),
    script:
        "../workflow_scripts/build_erasure.py"


rule embed_erasure:
    input:
        cases=rules.build_erasure.output.cases,
        embedder=rules.prepare_embedder.output.description,
    output:
        vectors=out("results/erasure/vectors.parquet"),
        haystack=out("results/erasure/haystack.parquet"),
    log:
        out("results/logs/erasure/embed.log"),
    threads: 2
    params:
        rows=max(CONFIG.erasure.rows),
        seed=CONFIG.seed,
        fingerprint=script_fingerprint("embed_erasure.py"),
    script:
        "../workflow_scripts/embed_erasure.py"
