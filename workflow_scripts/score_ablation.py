"""Count the passes of the matcher without each kind of evidence."""

from pathlib import Path

from lethe.analysis.ablation import ablation_rows
from lethe.cases.stored import read_suite
from lethe.parquet import read_rows, write_rows
from lethe.schemas import ABLATION, TRIALS
from lethe.workflow import job

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    runs = {kind: read_rows(Path(path), TRIALS) for kind, path in zip(params.left_out, given.trials, strict=True)}
    rows = ablation_rows(read_suite(Path(given.cases)), runs)
    write_rows(Path(snakemake.output.ablation), ABLATION, rows, params.fingerprint)
