# ForgetEval-Long: written material -> histories -> vectors -> answers -> scores.
from forgeteval.cases.long.material import FILE as MATERIAL


rule build_long:
    input:
        material=here(f"suites/long/{MATERIAL}"),
    output:
        events=out(schemas.LONG_EVENTS.path),
    log:
        out("results/logs/long/build.log"),
    priority: EMBEDDING_FIRST
    params:
        seed=CONFIG.seed,
        histories=CONFIG.long.histories,
        ks=CONFIG.long.k,
        fingerprint=script_fingerprint("build_long.py"),
    script:
        "../workflow_scripts/build_long.py"


rule embed_long:
    input:
        events=rules.build_long.output.events,
        embedder=rules.prepare_embedder.output.description,
    output:
        vectors=out("results/long/vectors/{part}.parquet"),
    log:
        out("results/logs/long/embed/{part}.log"),
    wildcard_constraints:
        part=r"\d+",
    priority: EMBEDDING_FIRST
    params:
        parts=VECTOR_PARTS,
        fingerprint=script_fingerprint("embed_long.py"),
    script:
        "../workflow_scripts/embed_long.py"
