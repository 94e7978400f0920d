# Tables and figures, from the analysis alone.
import re

from lethe.tables.tables import EXTENDED_SUFFIX

# Table name -> the suites it is made of. A suite that is not of the paper has a table by category of its own.
TABLES = {
    "template": [TEMPLATE_SUITE],
    "adversarial": [ADVERSARIAL_SUITE],
    "naive_sql": [ADVERSARIAL_SUITE],
    "provenance": [ADVERSARIAL_SUITE],
    "difficulty": [ADVERSARIAL_SUITE],
    "by_script": [ADVERSARIAL_SUITE],
    "controls": SUITES,
    **{
        f"suite_{name}": [name]
        for name in SUITES
        if name not in (TEMPLATE_SUITE, ADVERSARIAL_SUITE)
    },
    **{f"suite_{name}": [] for name in EMPTY_SUITES},
    f"adversarial{EXTENDED_SUFFIX}": [ADVERSARIAL_SUITE],
    **{
        f"suite_{name}{EXTENDED_SUFFIX}": [name]
        for name in SUITES
        if name not in (TEMPLATE_SUITE, ADVERSARIAL_SUITE)
    },
}


rule write_table:
    input:
        scores=lambda wildcards: expand(SCORES, suite=TABLES[wildcards.table]),
    output:
        latex=out("paper_tables/{table}.tex"),
        csv=report(out("paper_tables/{table}.csv"), category="Tables"),
    log:
        out("results/logs/paper/{table}.log"),
    wildcard_constraints:
        table="|".join(map(re.escape, TABLES)),
    params:
        labels=LABELS,
        suites=lambda wildcards: TABLES[wildcards.table],
        fingerprint=script_fingerprint("write_table.py"),
    script:
        "../workflow_scripts/write_table.py"


rule write_scorer_audit:
    input:
        audit=out(f"results/analysis/scorer_audit/{ADVERSARIAL_SUITE}.parquet"),
    output:
        latex=out("paper_tables/scorer_audit.tex"),
        csv=out("paper_tables/scorer_audit.csv"),
        cases=out("paper_tables/scorer_audit_cases.csv"),
    log:
        out("results/logs/paper/scorer_audit.log"),
    params:
        label=LABELS["suites"][ADVERSARIAL_SUITE],
        fingerprint=script_fingerprint("write_scorer_audit.py"),
    script:
        "../workflow_scripts/write_scorer_audit.py"


LLM_TABLES = {
    "cross_llm": [ADVERSARIAL_SUITE],
    "cross_architecture": [ADVERSARIAL_SUITE],
    "llm_cost": SUITES,
}


rule write_llm_table:
    input:
        scores=lambda wildcards: expand(SCORES, suite=LLM_TABLES[wildcards.table]),
        runs=lambda wildcards: expand(
            out("results/analysis/llm_runs/{suite}.parquet"),
            suite=LLM_TABLES[wildcards.table],
        ),
    output:
        latex=out("paper_tables/{table}.tex"),
        csv=report(out("paper_tables/{table}.csv"), category="Tables"),
    log:
        out("results/logs/paper/{table}.log"),
    wildcard_constraints:
        table="|".join(LLM_TABLES),
    params:
        labels=LABELS,
        suites=lambda wildcards: LLM_TABLES[wildcards.table],
        models={
            name: options.get("label", name)
            for name, options in config["models"].items()
        },
        fingerprint=script_fingerprint("write_llm_table.py"),
    script:
        "../workflow_scripts/write_llm_table.py"


rule draw_heatmap:
    input:
        scores=expand(SCORES, suite=ADVERSARIAL_SUITE),
    output:
        pdf=out("figures/heatmap.pdf"),
        png=report(out("figures/heatmap.png"), category="Figures"),
    log:
        out("results/logs/paper/heatmap.log"),
    params:
        labels=LABELS,
        suite=ADVERSARIAL_SUITE,
        fingerprint=script_fingerprint("draw_heatmap.py"),
    script:
        "../workflow_scripts/draw_heatmap.py"


rule list_near_duplicates:
    input:
        cases=out(f"results/suites/{ADVERSARIAL_SUITE}/cases.parquet"),
        vectors=out(f"results/embeddings/{ADVERSARIAL_SUITE}.parquet"),
    output:
        latex=out("paper_tables/near_duplicates.tex"),
        csv=out("paper_tables/near_duplicates.csv"),
    log:
        out("results/logs/paper/near_duplicates.log"),
    params:
        label=LABELS["suites"][ADVERSARIAL_SUITE],
        fingerprint=script_fingerprint("list_near_duplicates.py"),
    script:
        "../workflow_scripts/list_near_duplicates.py"


# Every table and figure.
PAPER_FILES = [
    expand(out("paper_tables/{table}.{kind}"), table=TABLES, kind=["tex", "csv"]),
    expand(out("paper_tables/{table}.{kind}"), table=LLM_TABLES, kind=["tex", "csv"]),
    JUDGE_TABLES,
    EXTENDED_TABLES,
    rules.write_matcher_tables.output,
    rules.write_scorer_audit.output,
    rules.draw_heatmap.output,
    rules.list_near_duplicates.output,
    STORE_SIZE_FIGURE,
    CROSSEVAL_FILES,
    AGREEMENT_TABLES,
    COMPARISON_FILES,
    rules.write_replication.output,
]
