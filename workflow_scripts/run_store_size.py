"""Run one configuration over the chosen cases among a number of unrelated memories."""

from pathlib import Path

from forgeteval.cases.sampling import first_of_each_category
from lethe.embedding.vectors import read_vectors
from lethe.jobs.opening import open_session
from lethe.jobs.trials import run_cases
from lethe.parquet import write_rows
from lethe.schemas import TRIALS
from lethe.stored.cases import read_suite
from lethe.study.store_size import cases_at_size
from lethe.workflow import job

with job(snakemake):
    params, size = snakemake.params, int(snakemake.wildcards.size)
    cases = first_of_each_category(read_suite(Path(snakemake.input.cases)), params.cases_per_category)
    haystack = list(read_vectors(Path(snakemake.input.haystack)))[:size]
    cases = cases_at_size(cases, size)
    with open_session(snakemake, timed=True) as session, run_cases(session, cases, haystack) as trials:
        write_rows(Path(snakemake.output.trials), TRIALS, trials, params.fingerprint)
