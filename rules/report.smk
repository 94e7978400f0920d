# Every table and figure that lethe/tables/registry.py finds, from the analysis alone: one job for all tables, one for all
# figures.
from lethe.report.inputs import analysed_paths
from lethe.tables.registry import all_paths
from lethe.tables.writing import (
    FIGURE_FORMS,
    PAPER,
    TABLE_FORMS,
    documents,
    figures_of,
    tables_of,
)

# Who asks for the paper alone gets its room; else there are all.
ROOM = os.environ["LETHE_PAPER"] and PAPER
TABLES, FIGURES = tables_of(SETUP, ROOM), figures_of(SETUP, ROOM)
TABLE_NAMES = [spec.name for spec in TABLES]
PRINTED = [spec.name for spec in TABLES if spec.latex]
FIGURE_NAMES = [spec.name for spec in FIGURES]


rule write_tables:
    input:
        input_paths(all_paths(TABLES)),
    output:
        json=expand(out(TABLE_FORMS["json"]), name=TABLE_NAMES),
        latex=expand(out(TABLE_FORMS["latex"]), name=PRINTED),
        documents=[out(path) for path in documents(SETUP, ROOM)],
        csv=report(expand(out(TABLE_FORMS["csv"]), name=TABLE_NAMES), category="Tables"),
        recipe=out("results/recipe.json"),
    log:
        out("results/logs/tables.log"),
    params:
        room=ROOM,
        setup=SETUP.to_json(),
        fingerprint=script_fingerprint("write_tables.py"),
    script:
        "../workflow_scripts/write_tables.py"


rule draw_figures:
    input:
        input_paths(all_paths(FIGURES)),
    output:
        pdf=expand(out(FIGURE_FORMS["pdf"]), name=FIGURE_NAMES),
        png=report(
            expand(out(FIGURE_FORMS["png"]), name=FIGURE_NAMES), category="Figures"
        ),
    log:
        out("results/logs/figures.log"),
    params:
        room=ROOM,
        setup=SETUP.to_json(),
        fingerprint=script_fingerprint("draw_figures.py"),
    script:
        "../workflow_scripts/draw_figures.py"


# The manifest: what a reviewer checks the results against, with `forgeteval audit`. The report shows its checksum.

READ_BY_TABLES = {
    *all_paths([*TABLES, *FIGURES]),
    *replication_inputs(SETUP),
}
# What everything is made from: whoever asks for all asks for this too, so that a file of it that was removed is made again.
BEHIND = [
    *input_paths(
        plan.results_behind(SETUP, {*READ_BY_TABLES, *analysed_paths(SUITES)})
    ),
    *sorted({out(path) for run in RUNS.all() for path in run.vectors}),
]
# In storage what nobody reads is named too. On one disk all is there once tables and figures are made.
UNREAD = rules.embed_haystack.output if SIZE_AXIS.enabled else []
ALL_RESULTS = [*BEHIND, *rules.sample_annotations.output, *UNREAD] if STORED else []


rule write_manifest:
    input:
        tables=rules.write_tables.output,
        figures=rules.draw_figures.output,
        results=ALL_RESULTS,
        shown=input_paths(analysed_paths(SUITES)),
        calls=rules.export_calls.output.calls if LLM_CHECKS and not STORED else [],
        freezes=sorted({path for run in RUNS.all() for path in freezes_of(run.entry)}),
    output:
        manifest=out("results/manifest.parquet"),
        versions=out("results/versions.json"),
        crate=out("results/ro-crate-metadata.json"),
    log:
        out("results/logs/manifest.log"),
    params:
        fingerprint=script_fingerprint("write_manifest.py"),
    script:
        "../workflow_scripts/write_manifest.py"


# The report for people: findings, systems, comparisons, trials, tables and figures on one page, the replication on another.
rule write_report:
    input:
        results=ALL_RESULTS,
        manifest=rules.write_manifest.output.manifest,
        versions=rules.write_manifest.output.versions,
        tables=rules.write_tables.output.json,
        figures=rules.draw_figures.output.png,
    output:
        page=out("results/report/index.html"),
        replication=out("results/report/replication.html"),
    log:
        out("results/logs/report.log"),
    params:
        setup=SETUP.to_json(),
        fingerprint=script_fingerprint("write_report.py"),
    script:
        "../workflow_scripts/write_report.py"
