# The matcher: what each kind of evidence is worth, and the weights that it learns from written cases.
from lethe.study.steps.score_ablation import LEFT_OUT


rule run_ablation:
    input:
        cases=cases_of(ADVERSARIAL_SUITE),
        vectors=vectors_of(ADVERSARIAL_SUITE),
        clauses=clauses_for(ABLATED, f"suites/{ADVERSARIAL_SUITE}"),
        embedder=rules.prepare_embedder.output.description,
    output:
        trials=out("results/ablation/{evidence}.parquet"),
    log:
        out("results/logs/ablation/{evidence}.log"),
    wildcard_constraints:
        evidence="|".join(LEFT_OUT),
    params:
        system=lambda wildcards: run_entry(without_evidence(wildcards)),
        settings=lambda wildcards: run_settings_of(ABLATED),
        answering_model={},
        environments=built(),
        journal=out("results/journals/ablation/{evidence}.jsonl"),
        fingerprint=lambda wildcards: run_fingerprint(
            "run_system.py", without_evidence(wildcards)
        ),
    script:
        "../workflow_scripts/run_system.py"


rule score_ablation:
    input:
        unpack(inputs_of(plan.plan_ablation)),
    output:
        ablation=out("results/analysis/ablation.parquet"),
    log:
        out("results/logs/analysis/ablation.log"),
    params:
        options=options_of(plan.plan_ablation),
        fingerprint=script_fingerprint("score_ablation.py"),
    script:
        "../workflow_scripts/score_ablation.py"


rule train_matcher:
    input:
        cases=[
            here(str(path))
            for folder in ("adversarial", "development", "development_house")
            for path in sorted(Path("suites", folder).rglob("*.*"))
        ],
        embedder=rules.prepare_embedder.output.description,
    output:
        expand(
            out("results/matcher/weights/{decision}.json"),
            decision=["likely", "meant", "superseded", "outdated"],
        ),
    log:
        out("results/logs/matcher/train.log"),
    params:
        suites="suites",
        fingerprint=script_fingerprint("train_matcher.py"),
    script:
        "../workflow_scripts/train_matcher.py"
