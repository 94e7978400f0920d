"""Draw recall against forgetting."""

from pathlib import Path

from lethe.analysis.results import SuiteResults
from lethe.parquet import read_rows
from lethe.schemas import CROSSEVAL_SCORES
from lethe.tables.figures.trade_off import draw_trade_off, trade_off_points
from lethe.workflow import job

with job(snakemake):
    params, output = snakemake.params, snakemake.output
    forgetting = SuiteResults.read(Path(snakemake.input.scores[0]), params.suite, params.labels)
    recall = [row for path in snakemake.input.memora for row in read_rows(Path(path), CROSSEVAL_SCORES)]
    points, left_out = trade_off_points(forgetting, recall)
    draw_trade_off(points, left_out if recall else [], params.lifts, params.absent, Path(output.pdf), Path(output.png))
