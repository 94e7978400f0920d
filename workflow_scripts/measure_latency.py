"""Run one configuration over a few cases several times, for its times."""

from pathlib import Path

from forgeteval.cases.sampling import first_of_each_category
from lethe.jobs.opening import open_session
from lethe.jobs.trials import run_cases
from lethe.parquet import write_rows
from lethe.schemas import TRIALS
from lethe.stored.cases import read_suite
from lethe.workflow import job

with job(snakemake):
    cases = first_of_each_category(read_suite(Path(snakemake.input.cases)), snakemake.params.cases_per_category)
    with open_session(snakemake, timed=True) as session, run_cases(session, cases) as trials:
        write_rows(Path(snakemake.output.trials), TRIALS, trials, snakemake.params.fingerprint)
