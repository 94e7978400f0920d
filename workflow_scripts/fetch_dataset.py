"""Fetch one data set of other authors, or check the one that is there, against its pinned checksum."""

from pathlib import Path

from forgeteval.files import write_text
from lethe.crosseval.fetch import fetch_dataset
from lethe.workflow import job

with job(snakemake):
    found = fetch_dataset(snakemake.wildcards.benchmark, snakemake.params.options)
    write_text(Path(snakemake.output.checked), f"{found}\n")
