"""Read the filled-in sheets of the annotators."""

from pathlib import Path

from lethe.parquet import read_rows, write_rows
from lethe.people.annotation.reading import read_sheets
from lethe.people.annotation.sample import item_name
from lethe.schemas import ANNOTATION_SAMPLE, ANNOTATIONS
from lethe.stored.cases import read_suite
from lethe.workflow import job

with job(snakemake):
    sample = read_rows(Path(snakemake.input.sample), ANNOTATION_SAMPLE)
    cases = {item_name(case): case for case in read_suite(Path(snakemake.input.cases))}
    annotations = read_sheets([Path(path) for path in snakemake.input.sheets], sample, cases)
    write_rows(Path(snakemake.output.annotations), ANNOTATIONS, annotations, snakemake.params.fingerprint)
