"""Write the tables about annotators and judges."""

from pathlib import Path

from lethe.analysis.published import read_published
from lethe.parquet import read_rows
from lethe.schemas import AGREEMENT, MAJORITY_CASES, RATER_PAIRS
from lethe.tables.agreement import (
    agreement_table,
    disagreement_table,
    judge_agreement_table,
    published_judges_table,
)
from lethe.workflow import job

with job(snakemake):
    params, files = snakemake.params, snakemake.input
    published = read_published(Path(files.published))
    measures = read_rows(Path(files.measures), AGREEMENT)
    tables = (
        agreement_table(measures, published, params.label),
        judge_agreement_table(
            read_rows(Path(files.raters), RATER_PAIRS), params.judges, params.label, bool(measures), params.not_run
        ),
        published_judges_table(published),
        disagreement_table(read_rows(Path(files.cases), MAJORITY_CASES), params.judges, published, params.not_run),
    )
    for table, latex, csv_file in zip(tables, snakemake.output[::2], snakemake.output[1::2], strict=True):
        table.write(Path(latex), Path(csv_file))
