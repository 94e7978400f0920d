"""Draw pass rate against store size."""

from pathlib import Path

from lethe.parquet import read_rows
from lethe.schemas import STORE_SIZE
from lethe.tables.figures.store_size import draw_store_size
from lethe.workflow import job

with job(snakemake):
    params, output = snakemake.params, snakemake.output
    scores = read_rows(Path(snakemake.input.scores), STORE_SIZE)
    draw_store_size(scores, params.systems, params.suite_label, params.k, Path(output.pdf), Path(output.png))
