"""Write one table of extended systems as LaTeX and CSV."""

from pathlib import Path

from lethe.analysis.published import read_published
from lethe.analysis.results import SuiteResults
from lethe.tables.extended import ecosystem_table, extended_table
from lethe.workflow import job

with job(snakemake):
    name, params = snakemake.wildcards.table, snakemake.params
    scores = snakemake.input.get("scores", [])
    results = SuiteResults.read(Path(scores[0]), params.suite, params.labels) if scores else None
    published = read_published(Path(snakemake.input.published))
    if name == "ecosystem" and results is not None:
        table = ecosystem_table(results, published)
    else:
        table = extended_table(name, results, published, params.absent)
    table.write(Path(snakemake.output.latex), Path(snakemake.output.csv))
