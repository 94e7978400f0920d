"""Write one table of the paper as LaTeX and CSV."""

from pathlib import Path

from lethe.paper.results import SuiteResults
from lethe.paper.tables import category_table, controls_table, naive_sql_table, template_table
from lethe.workflow import job

with job(snakemake):
    labels, suites = snakemake.params.labels, snakemake.params.suites
    results = [SuiteResults.read(Path(p), s, labels) for s, p in zip(suites, snakemake.input.scores, strict=True)]
    name = snakemake.wildcards.table
    if name == "controls":
        table = controls_table(results)
    elif name == "template":
        table = template_table(results[0])
    elif name == "naive_sql":
        table = naive_sql_table(results[0])
    else:
        table = category_table(results[0], name)
    table.write(Path(snakemake.output.latex), Path(snakemake.output.csv))
