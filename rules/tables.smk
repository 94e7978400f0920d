# Every table and figure that lethe/tables/registry.py finds, from the analysis alone: one job for all tables, one for all
# figures.
from lethe.tables.registry import all_paths, figure_specs, table_specs
from lethe.tables.writing import FIGURE_FORMS, TABLE_FORMS

TABLE_NAMES = [spec.name for spec in table_specs(SETUP)]
FIGURE_NAMES = [spec.name for spec in figure_specs(SETUP)]


rule write_tables:
    input:
        input_paths(all_paths(table_specs(SETUP))),
    output:
        json=expand(out(TABLE_FORMS["json"]), name=TABLE_NAMES),
        latex=expand(out(TABLE_FORMS["latex"]), name=TABLE_NAMES),
        csv=report(expand(out(TABLE_FORMS["csv"]), name=TABLE_NAMES), category="Tables"),
        recipe=out("results/recipe.json"),
    log:
        out("results/logs/tables.log"),
    params:
        setup=SETUP.to_json(),
        fingerprint=script_fingerprint("write_tables.py"),
    script:
        "../workflow_scripts/write_tables.py"


rule draw_figures:
    input:
        input_paths(all_paths(figure_specs(SETUP))),
    output:
        pdf=expand(out(FIGURE_FORMS["pdf"]), name=FIGURE_NAMES),
        png=report(
            expand(out(FIGURE_FORMS["png"]), name=FIGURE_NAMES), category="Figures"
        ),
    log:
        out("results/logs/figures.log"),
    params:
        setup=SETUP.to_json(),
        fingerprint=script_fingerprint("draw_figures.py"),
    script:
        "../workflow_scripts/draw_figures.py"
