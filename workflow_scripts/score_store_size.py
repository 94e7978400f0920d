"""Count each system's passed cases by store size."""

from pathlib import Path

from lethe.analysis.store_size import score_sizes
from lethe.parquet import read_rows, write_rows
from lethe.schemas import STORE_SIZE, TRIALS
from lethe.workflow import job

with job(snakemake):
    params = snakemake.params
    trials = [row for path in snakemake.input.trials for row in read_rows(Path(path), TRIALS)]
    scores = score_sizes(params.suite, params.sizes, trials)
    write_rows(Path(snakemake.output.scores), STORE_SIZE, scores, params.fingerprint)
