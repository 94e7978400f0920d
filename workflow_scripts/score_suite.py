"""Score one suite's trials by system and category."""

from pathlib import Path

from lethe.analysis.scores import score_trials
from lethe.forgeteval.suites import read_suite
from lethe.parquet import read_rows, write_rows
from lethe.schemas import SCORES, TRIALS
from lethe.workflow import job

with job(snakemake):
    trials = [row for path in snakemake.input.trials for row in read_rows(Path(path), TRIALS)]
    scores = score_trials(read_suite(Path(snakemake.input.cases)), trials)
    write_rows(Path(snakemake.output.scores), SCORES, scores, snakemake.params.fingerprint)
