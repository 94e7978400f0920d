"""Run one configuration over one suite."""

from pathlib import Path

from lethe.cases.stored import read_suite
from lethe.parquet import write_rows
from lethe.run.opening import open_session
from lethe.run.trials import run_cases
from lethe.schemas import TRIALS
from lethe.workflow import job

with job(snakemake):
    cases = read_suite(Path(snakemake.input.cases))
    with open_session(snakemake) as session, run_cases(session, cases) as trials:
        write_rows(Path(snakemake.output.trials), TRIALS, trials, snakemake.params.fingerprint)
