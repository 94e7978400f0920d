"""Audit one configuration: what is left of each case's memory after its purge."""

from pathlib import Path

from forgeteval.cases.erasure.generate import cases_from_rows
from lethe.config.model import Config
from lethe.embedding.vectors import read_vectors
from lethe.jobs.erasure_trials import run_erasures
from lethe.jobs.opening import open_session
from lethe.parquet import read_rows, write_rows
from lethe.schemas import ERASURE_CASES, ERASURE_RECORDS
from lethe.workflow import job

with job(snakemake):
    cases = cases_from_rows(read_rows(Path(snakemake.input.cases), ERASURE_CASES))[: snakemake.params.cases]
    # Two of the memories are the case's own.
    haystack = list(read_vectors(Path(snakemake.input.haystack)))[: int(snakemake.wildcards.rows) - 2]
    limit_s, producer = Config.of(snakemake.config).run.history_timeout_s, snakemake.params.fingerprint
    with open_session(snakemake, limit_s) as session, run_erasures(session, cases, haystack) as rows:
        write_rows(Path(snakemake.output.records), ERASURE_RECORDS, rows, producer)
