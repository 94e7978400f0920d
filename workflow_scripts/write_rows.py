"""Write the rows of each output, which the rule's function reads or generates."""

from pathlib import Path

from lethe.parquet import write_rows
from lethe.workflow import job, named

with job(snakemake):
    params = snakemake.params
    for output, (table, rows) in named(params.rows)(**params.options).items():
        write_rows(Path(snakemake.output[output]), table, rows, params.fingerprint)
