"""Measure how the paper's annotators and judges agree, from the released labels."""

from pathlib import Path

from lethe.analysis.agreement import agreement_rows, majority_case_rows, rater_rows
from lethe.analysis.released.labels import as_annotations, as_judgements, as_sample
from lethe.parquet import read_rows, write_rows
from lethe.schemas import CASES, RELEASED_AGREEMENT, RELEASED_LABELS, RELEASED_MAJORITY, RELEASED_RATERS
from lethe.workflow import job

with job(snakemake):
    params, output = snakemake.params, snakemake.output
    labels = read_rows(Path(snakemake.input.labels), RELEASED_LABELS)
    sample = as_sample(labels, read_rows(Path(snakemake.input.cases), CASES))
    annotations, judgements = as_annotations(labels, sample), as_judgements(labels)
    for path, table, rows in (
        (output.measures, RELEASED_AGREEMENT, agreement_rows(annotations, params.resamples, params.seed)),
        (output.raters, RELEASED_RATERS, rater_rows(annotations, judgements, sample)),
        (output.majority, RELEASED_MAJORITY, majority_case_rows(annotations, judgements, sample)),
    ):
        write_rows(Path(path), table, rows, params.fingerprint)
