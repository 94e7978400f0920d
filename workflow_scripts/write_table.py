"""Write one table of the paper as LaTeX and CSV."""

from pathlib import Path

from lethe.analysis.results import SuiteResults
from lethe.tables.tables import build_table
from lethe.workflow import job

with job(snakemake):
    labels, suites = snakemake.params.labels, snakemake.params.suites
    results = [SuiteResults.read(Path(p), s, labels) for s, p in zip(suites, snakemake.input.scores, strict=True)]
    table = build_table(snakemake.wildcards.table, results, labels)
    table.write(Path(snakemake.output.latex), Path(snakemake.output.csv))
