"""Set every published number beside the measured one."""

from pathlib import Path

from lethe.analysis.inputs import Files, keyed
from lethe.analysis.replication.compare import replication_rows
from lethe.analysis.replication.measured import Measured, measured_inputs
from lethe.analysis.setup import Setup
from lethe.parquet import write_rows
from lethe.schemas import REPLICATION
from lethe.workflow import job

with job(snakemake):
    params = snakemake.params
    setup, files = Setup.from_json(params.setup), Files(Path(params.root))
    measured = Measured(setup, **keyed(measured_inputs(setup)).load(files))
    rows = replication_rows(files.published(), measured)
    write_rows(Path(snakemake.output.rows), REPLICATION, rows, params.fingerprint)
