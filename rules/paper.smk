# Tables and figures, from the analysis alone.
TEMPLATE_SUITE = config["paper"]["template_suite"]
ADVERSARIAL_SUITE = config["paper"]["adversarial_suite"]
SCORES = OUT + "results/analysis/{suite}.parquet"
LABELS = {
    "systems": config["systems"],
    "not_run": reasons_not_run(config),
    "suites": {name: config["suites"][name].get("label", name) for name in SUITES},
}
# Table name -> the suites it is made of. A suite that is not of the paper has a table by category of its own.
TABLES = {
    "template": [TEMPLATE_SUITE],
    "adversarial": [ADVERSARIAL_SUITE],
    "naive_sql": [ADVERSARIAL_SUITE],
    "controls": SUITES,
    **{
        f"suite_{name}": [name]
        for name in SUITES
        if name not in (TEMPLATE_SUITE, ADVERSARIAL_SUITE)
    },
}


rule write_table:
    input:
        scores=lambda wildcards: expand(SCORES, suite=TABLES[wildcards.table]),
    output:
        latex=OUT + "paper_tables/{table}.tex",
        csv=OUT + "paper_tables/{table}.csv",
    log:
        OUT + "results/logs/paper/{table}.log",
    wildcard_constraints:
        table="|".join(TABLES),
    params:
        labels=LABELS,
        suites=lambda wildcards: TABLES[wildcards.table],
        fingerprint=code_fingerprint(
            "paper/cells.py", "paper/results.py", "paper/tables.py"
        ),
    script:
        "../workflow_scripts/write_table.py"


rule draw_heatmap:
    input:
        scores=expand(SCORES, suite=ADVERSARIAL_SUITE),
    output:
        pdf=OUT + "figures/heatmap.pdf",
        png=OUT + "figures/heatmap.png",
    log:
        OUT + "results/logs/paper/heatmap.log",
    params:
        labels=LABELS,
        suite=ADVERSARIAL_SUITE,
        fingerprint=code_fingerprint("paper/heatmap.py", "paper/results.py"),
    script:
        "../workflow_scripts/draw_heatmap.py"


rule paper_tables:
    input:
        expand(OUT + "paper_tables/{table}.{kind}", table=TABLES, kind=["tex", "csv"]),
        rules.draw_heatmap.output,
