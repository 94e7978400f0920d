"""Draw every figure."""

from pathlib import Path

from lethe.study.setup import Setup
from lethe.tables.writing import draw_figures
from lethe.workflow import job

with job(snakemake):
    params = snakemake.params
    draw_figures(Setup.from_json(params.setup), Path(snakemake.output.pdf[0]).parents[1], params.room)
