# The matcher: what each kind of evidence is worth, and whether it holds on cases it was not developed on.
from lethe.planners.matcher import EVIDENCE_KINDS

ABLATED = "lethe+matcher"
MATCHER_RUNS = ABLATED in configurations_to_run(config, ADVERSARIAL_SUITE)
ABLATIONS = ["none", *EVIDENCE_KINDS]
HELD_OUT_SUITES = [HELD_OUT_SUITE] if HELD_OUT_SUITE in SUITES else []
# A row stands in the table where it runs on both suites.
RUN_ON_BOTH = set.intersection(
    *(
        set(configurations_to_run(config, suite))
        for suite in [ADVERSARIAL_SUITE, *HELD_OUT_SUITES]
    )
)
MATCHER_CONFIGURATIONS = [
    row for row, entry in CONFIGURATIONS.items() if entry.get("hook") == "matcher"
]
COMPARED_CONFIGURATIONS = [
    row
    for row in ["lethe", *MATCHER_CONFIGURATIONS]
    if MATCHER_RUNS and row in RUN_ON_BOTH
]


rule run_ablation:
    input:
        cases=expand(rules.build_suite.output.cases, suite=ADVERSARIAL_SUITE)[0],
        vectors=expand(rules.embed_suite.output.vectors, suite=ADVERSARIAL_SUITE)[0],
        embedder=rules.prepare_embedder.output.description,
    output:
        trials=out("results/ablation/{family}.parquet"),
    log:
        out("results/logs/ablation/{family}.log"),
    wildcard_constraints:
        family="|".join(ABLATIONS),
    params:
        system=without_family,
        settings=lambda wildcards: run_settings_of(ABLATED),
        answering_model={},
        environments=built(),
        journal=out("results/journals/ablation/{family}.jsonl"),
        fingerprint=lambda wildcards: run_fingerprint(
            "run_system.py", without_family(wildcards)
        ),
    script:
        "../workflow_scripts/run_system.py"


rule write_matcher_tables:
    input:
        cases=expand(rules.build_suite.output.cases, suite=ADVERSARIAL_SUITE)[0],
        trials=expand(
            out(f"results/runs/{ADVERSARIAL_SUITE}/{{row}}.parquet"),
            row=COMPARED_CONFIGURATIONS,
        ),
        held_out_cases=expand(rules.build_suite.output.cases, suite=HELD_OUT_SUITES),
        held_out_trials=expand(
            out("results/runs/{suite}/{row}.parquet"),
            suite=HELD_OUT_SUITES,
            row=COMPARED_CONFIGURATIONS,
        ),
        ablations=expand(
            out("results/ablation/{family}.parquet"),
            family=ABLATIONS if MATCHER_RUNS else [],
        ),
    output:
        held_out=out("paper_tables/matcher_held_out.tex"),
        held_out_csv=out("paper_tables/matcher_held_out.csv"),
        ablation=out("paper_tables/matcher_ablation.tex"),
        ablation_csv=out("paper_tables/matcher_ablation.csv"),
    log:
        out("results/logs/paper/matcher.log"),
    params:
        labels={row: CONFIGURATIONS[row]["label"] for row in COMPARED_CONFIGURATIONS},
        families=ABLATIONS,
        suite=LABELS["suites"][ADVERSARIAL_SUITE],
        held_out_suite=LABELS["suites"][HELD_OUT_SUITE],
        fingerprint=script_fingerprint("write_matcher_tables.py"),
    script:
        "../workflow_scripts/write_matcher_tables.py"
