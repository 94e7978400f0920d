"""Set every published number beside the measured one."""

from pathlib import Path

from lethe.parquet import write_rows
from lethe.schemas import REPLICATION
from lethe.study.inputs import Files
from lethe.study.replication.compare import compare_published
from lethe.study.setup import Setup
from lethe.workflow import job

with job(snakemake):
    params = snakemake.params
    rows = compare_published(Setup.from_json(params.setup), Files(Path(snakemake.output.rows).parents[2]))
    write_rows(Path(snakemake.output.rows), REPLICATION, rows, params.fingerprint)
