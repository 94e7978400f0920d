"""Read the filled-in sheets, and measure how annotators and judges agree."""

from pathlib import Path

from lethe.admission.annotation.reading import read_sheets
from lethe.analysis.agreement import agreement_rows, majority_case_rows, rater_rows
from lethe.parquet import read_rows, write_rows
from lethe.schemas import AGREEMENT, ANNOTATION_SAMPLE, ANNOTATIONS, JUDGEMENTS, MAJORITY_CASES, RATER_PAIRS
from lethe.workflow import job

with job(snakemake):
    params, output = snakemake.params, snakemake.output
    sample = read_rows(Path(snakemake.input.sample), ANNOTATION_SAMPLE)
    annotations = read_sheets([Path(path) for path in snakemake.input.sheets], sample)
    judgements = [row for path in snakemake.input.judgements for row in read_rows(Path(path), JUDGEMENTS)]
    for path, table, rows in (
        (output.annotations, ANNOTATIONS, annotations),
        (output.measures, AGREEMENT, agreement_rows(annotations, params.resamples, params.seed)),
        (output.raters, RATER_PAIRS, rater_rows(annotations, judgements, sample)),
        (output.cases, MAJORITY_CASES, majority_case_rows(annotations, judgements, sample)),
    ):
        write_rows(Path(path), table, rows, params.fingerprint)
