"""Read one data set of other authors into the histories that are replayed."""

from pathlib import Path

from lethe.crosseval.datasets import load_histories, sources
from lethe.crosseval.records import operation_rows, question_rows, size_rows
from lethe.parquet import write_rows
from lethe.schemas import CROSSEVAL_OPERATIONS, CROSSEVAL_QUESTIONS, CROSSEVAL_SIZES
from lethe.workflow import job

with job(snakemake):
    benchmark, output, producer = snakemake.wildcards.benchmark, snakemake.output, snakemake.params.fingerprint
    options = snakemake.params.options
    histories = load_histories(benchmark, options)
    write_rows(Path(output.operations), CROSSEVAL_OPERATIONS, operation_rows(benchmark, histories), producer)
    write_rows(Path(output.questions), CROSSEVAL_QUESTIONS, question_rows(benchmark, histories), producer)
    sizes = size_rows(benchmark, histories, sources(benchmark, histories, options))
    write_rows(Path(output.sizes), CROSSEVAL_SIZES, sizes, producer)
