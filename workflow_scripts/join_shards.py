"""Join the trials of the shards that a configuration's run on a suite was split into."""

from pathlib import Path

from lethe.jobs.shards import join_shards
from lethe.parquet import read_rows, write_rows
from lethe.schemas import TRIALS
from lethe.workflow import job

with job(snakemake):
    rows = join_shards((read_rows(Path(path), TRIALS) for path in snakemake.input.shards), snakemake.wildcards.system)
    write_rows(Path(snakemake.output.trials), TRIALS, rows, snakemake.params.run)
