# The erasure audit: written sentences -> cases -> vectors -> records -> verdicts.
from forgeteval.cases.erasure.generate import FILE as ERASURE_MATERIAL
from lethe.config.selection import erasure_stores


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


rule run_erasure:
    input:
        cases=rules.build_erasure.output.cases,
        vectors=rules.embed_erasure.output.vectors,
        haystack=rules.embed_erasure.output.haystack,
        embedder=rules.prepare_embedder.output.description,
        freeze=system_environment,
    output:
        records=out(schemas.ERASURE_RECORDS.path),
    log:
        out("results/logs/erasure/{rows}/{system}.log"),
    benchmark:
        out("results/benchmarks/erasure/{rows}/{system}.tsv")
    wildcard_constraints:
        rows=r"\d+",
    params:
        system=run_entry_of_system,
        cases=lambda wildcards: dict(erasure_stores(CONFIG, wildcards.system))[
            int(wildcards.rows)
        ],
        settings={"k": CONFIG.run.k},
        environments=built(),
        journal=out("results/journals/erasure/{rows}/{system}.jsonl"),
        fingerprint=run_fingerprint_by("run_erasure.py"),
    script:
        "../workflow_scripts/run_erasure.py"


rule score_erasure:
    input:
        unpack(inputs_of(plan.plan_erasure)),
    output:
        verdicts=out(schemas.ERASURE_VERDICTS.path),
        scores=out(schemas.ERASURE_SCORES.path),
        traces=out(schemas.ERASURE_TRACES.path),
    log:
        out("results/logs/analysis/erasure.log"),
    params:
        options=options_of(plan.plan_erasure),
        fingerprint=script_fingerprint("score_erasure.py"),
    script:
        "../workflow_scripts/score_erasure.py"
