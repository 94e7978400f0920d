"""Fetch the cases of one suite of other authors, or check those that are there, against their pinned checksum."""

from pathlib import Path

from forgeteval.cases.fetch import fetch_suite
from forgeteval.files import write_text
from lethe.workflow import job

with job(snakemake):
    found = fetch_suite(snakemake.wildcards.suite, snakemake.params.options)
    write_text(Path(snakemake.output.checked), f"{found}\n")
