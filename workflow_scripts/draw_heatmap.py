"""Draw the category heatmap."""

from pathlib import Path

from lethe.analysis.results import SuiteResults
from lethe.tables.figures.heatmap import draw_heatmap
from lethe.workflow import job

with job(snakemake):
    results = SuiteResults.read(Path(snakemake.input.scores[0]), snakemake.params.suite, snakemake.params.labels)
    draw_heatmap(results, Path(snakemake.output.pdf), Path(snakemake.output.png))
