"""Draw the cases that annotators label, and write empty sheets of them."""

from pathlib import Path

from lethe.parquet import write_rows
from lethe.people.annotation.sample import draw_sample, sample_rows
from lethe.people.annotation.sheets import write_sheet
from lethe.schemas import ANNOTATION_SAMPLE
from lethe.stored.cases import read_suite
from lethe.workflow import job

with job(snakemake):
    params, output = snakemake.params, snakemake.output
    sample = draw_sample(read_suite(Path(snakemake.input.cases)), params.per_category, params.seed)
    write_rows(Path(output.sample), ANNOTATION_SAMPLE, sample_rows(sample), params.fingerprint)
    write_sheet(Path(output.csv), sample)
    if spreadsheet := output.get("spreadsheet"):
        write_sheet(Path(spreadsheet), sample)
