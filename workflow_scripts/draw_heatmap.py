"""Draw the category heatmap."""

from pathlib import Path

from lethe.paper.heatmap import draw_heatmap
from lethe.workflow import job, read_results

with job(snakemake):
    draw_heatmap(read_results(snakemake)[0], Path(snakemake.output.pdf), Path(snakemake.output.png))
