"""Measure how alike the cases of one suite are."""

from pathlib import Path

from lethe.analysis.near_duplicates import near_duplicate_rows
from lethe.cases.near_duplicates import THRESHOLDS, near_duplicates
from lethe.cases.stored import read_suite
from lethe.embedding.vectors import read_vectors
from lethe.parquet import write_rows
from lethe.schemas import NEAR_DUPLICATES
from lethe.workflow import job

with job(snakemake):
    given, output = snakemake.input, Path(snakemake.output.measures)
    found = near_duplicates(read_suite(Path(given.cases)), read_vectors(Path(given.vectors)))
    rows = near_duplicate_rows(snakemake.wildcards.suite, found, THRESHOLDS)
    write_rows(output, NEAR_DUPLICATES, rows, snakemake.params.fingerprint)
