"""Write one table of the cross-evaluations."""

from pathlib import Path

from lethe.analysis.published import read_published
from lethe.parquet import read_rows
from lethe.schemas import CROSSEVAL_SCORES
from lethe.tables.crosseval import CrossevalResults, crosseval_table
from lethe.workflow import job

with job(snakemake):
    params, output = snakemake.params, snakemake.output
    scores = [row for path in snakemake.input.scores for row in read_rows(Path(path), CROSSEVAL_SCORES)]
    published = read_published(Path(snakemake.input.published))
    results = CrossevalResults(scores, params.systems, params.not_run, params.absent, params.reading, published)
    table = crosseval_table(snakemake.wildcards.table, results)
    table.write(Path(output.latex), Path(output.csv))
