# The rules hook: what each family of rules is worth, and whether it holds on cases it was not developed on.
from lethe.hooks.rules import RULE_FAMILIES

RULES_ROW = "lethe+rules"
RULES_RUN = RULES_ROW in rows_to_run(config, ADVERSARIAL_SUITE)
ABLATIONS = ["none", *RULE_FAMILIES]
HELD_OUT_SUITES = [HELD_OUT_SUITE] if HELD_OUT_SUITE in SUITES else []
# A row stands in the table where it runs on both suites.
RUN_ON_BOTH = set.intersection(
    *(
        set(rows_to_run(config, suite))
        for suite in [ADVERSARIAL_SUITE, *HELD_OUT_SUITES]
    )
)
RULES_ROWS = [row for row, entry in ROWS.items() if entry.get("hook") == "rules"]
COMPARED_ROWS = [
    row for row in ["lethe", *RULES_ROWS] if RULES_RUN and row in RUN_ON_BOTH
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
        settings=lambda wildcards: run_settings_of(RULES_ROW),
        answering_model={},
        llm_cache=LLM_CACHE,
        environments=built(),
        journal=out("results/journals/ablation/{family}.jsonl"),
        fingerprint=lambda wildcards: row_fingerprint(without_family(wildcards)),
    script:
        "../workflow_scripts/run_system.py"


rule write_rules_tables:
    input:
        cases=expand(rules.build_suite.output.cases, suite=ADVERSARIAL_SUITE)[0],
        trials=expand(
            out(f"results/runs/{ADVERSARIAL_SUITE}/{{row}}.parquet"), row=COMPARED_ROWS
        ),
        held_out_cases=expand(rules.build_suite.output.cases, suite=HELD_OUT_SUITES),
        held_out_trials=expand(
            out("results/runs/{suite}/{row}.parquet"),
            suite=HELD_OUT_SUITES,
            row=COMPARED_ROWS,
        ),
        ablations=expand(
            out("results/ablation/{family}.parquet"),
            family=ABLATIONS if RULES_RUN else [],
        ),
    output:
        held_out=out("paper_tables/rules_held_out.tex"),
        held_out_csv=out("paper_tables/rules_held_out.csv"),
        ablation=out("paper_tables/rules_ablation.tex"),
        ablation_csv=out("paper_tables/rules_ablation.csv"),
    log:
        out("results/logs/paper/rules_hook.log"),
    params:
        labels={row: ROWS[row]["label"] for row in COMPARED_ROWS},
        families=ABLATIONS,
        suite=LABELS["suites"][ADVERSARIAL_SUITE],
        held_out_suite=LABELS["suites"][HELD_OUT_SUITE],
        fingerprint=code_fingerprint(
            "paper/cells.py",
            "paper/rules_tables.py",
            "schemas.py",
        ),
    script:
        "../workflow_scripts/write_rules_tables.py"
