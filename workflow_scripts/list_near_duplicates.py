"""Write the near-duplicate report of one suite."""

from pathlib import Path

from lethe.cases.near_duplicates import THRESHOLDS, near_duplicates
from lethe.cases.stored import read_suite
from lethe.embedding.vectors import read_vectors
from lethe.tables.near_duplicates import near_duplicates_table
from lethe.workflow import job

with job(snakemake):
    found = near_duplicates(read_suite(Path(snakemake.input.cases)), read_vectors(Path(snakemake.input.vectors)))
    table = near_duplicates_table(found, THRESHOLDS, snakemake.params.label)
    table.write(Path(snakemake.output.latex), Path(snakemake.output.csv))
