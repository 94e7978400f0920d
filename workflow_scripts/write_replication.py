"""Write the replication report."""

from pathlib import Path

from lethe.parquet import read_rows
from lethe.schemas import REPLICATION
from lethe.tables.replication import write_replication
from lethe.workflow import job

with job(snakemake):
    output = snakemake.output
    rows = read_rows(Path(snakemake.input.rows), REPLICATION)
    write_replication(rows, Path(output.latex), Path(output.csv), Path(output.page))
