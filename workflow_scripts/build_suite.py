"""Build one suite's cases."""

from pathlib import Path

from forgeteval.cases.suites import build_suite
from lethe.stored.cases import write_suite
from lethe.workflow import job

with job(snakemake):
    cases = build_suite(snakemake.wildcards.suite, snakemake.params.options)
    write_suite(Path(snakemake.output.cases), cases, snakemake.params.fingerprint)
