"""Read one data set of other authors into the histories that are replayed."""

from pathlib import Path

from lethe.crosseval.datasets import load_histories
from lethe.crosseval.records import operation_rows, question_rows
from lethe.parquet import write_rows
from lethe.schemas import CROSSEVAL_OPERATIONS, CROSSEVAL_QUESTIONS
from lethe.workflow import job

with job(snakemake):
    benchmark, output, producer = snakemake.wildcards.benchmark, snakemake.output, snakemake.params.fingerprint
    histories = load_histories(benchmark, snakemake.params.options)
    write_rows(Path(output.operations), CROSSEVAL_OPERATIONS, operation_rows(benchmark, histories), producer)
    write_rows(Path(output.questions), CROSSEVAL_QUESTIONS, question_rows(benchmark, histories), producer)
