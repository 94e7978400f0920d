"""Set every published number beside the measured one."""

from pathlib import Path

from lethe.analysis.inputs import Files
from lethe.analysis.replication.compare import replication_rows
from lethe.analysis.replication.measured import OWN, RELEASED, Measured
from lethe.analysis.setup import Setup
from lethe.parquet import write_rows
from lethe.schemas import REPLICATION
from lethe.workflow import job

with job(snakemake):
    params = snakemake.params
    setup, files = Setup.from_json(params.setup), Files(Path(params.root))
    released, own = (Measured.of(setup, place, files) for place in (RELEASED, OWN))
    rows = replication_rows(files.published(), released, own)
    write_rows(Path(snakemake.output.rows), REPLICATION, rows, params.fingerprint)
