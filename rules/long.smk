# ForgetEval-Long: written material -> histories -> vectors -> answers -> scores.
from forgeteval.cases.long.material import FILE as MATERIAL

VECTORS_OF_LONG = expand(
    out("results/long/vectors/{part}.parquet"), part=range(VECTOR_PARTS)
)


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


rule run_long:
    input:
        events=rules.build_long.output.events,
        vectors=VECTORS_OF_LONG,
        clauses=lambda wildcards: clauses_for(wildcards.system, "long"),
        embedder=rules.prepare_embedder.output.description,
        freeze=system_environment,
    output:
        answers=out(schemas.LONG_ANSWERS.path),
        replays=out(schemas.LONG_REPLAYS.path),
    log:
        out("results/logs/long/{system}.log"),
    benchmark:
        out("results/benchmarks/long/{system}.tsv")
    priority: LONG_JOBS_FIRST
    params:
        system=run_entry_of_system,
        settings={"k": CONFIG.run.k},
        environments=built(),
        journal=out("results/journals/long/{system}.jsonl"),
        fingerprint=run_fingerprint_by("run_long.py"),
    script:
        "../workflow_scripts/run_long.py"


rule score_long:
    input:
        unpack(inputs_of(plan.plan_long)),
    output:
        scores=out(schemas.LONG_SCORES.path),
    log:
        out("results/logs/analysis/long.log"),
    params:
        options=options_of(plan.plan_long),
        fingerprint=script_fingerprint("score_long.py"),
    script:
        "../workflow_scripts/score_long.py"
