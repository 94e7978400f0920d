"""Set every published number beside the measured one."""

from pathlib import Path

from lethe.analysis.inputs import Inputs
from lethe.analysis.replication.compare import replication_rows
from lethe.analysis.replication.measured import Measured, replication_inputs
from lethe.analysis.setup import Setup
from lethe.parquet import write_rows
from lethe.schemas import REPLICATION
from lethe.workflow import job

with job(snakemake):
    params = snakemake.params
    setup = Setup.from_json(params.setup)
    inputs = Inputs(setup, Path(params.root)).only(replication_inputs(setup))
    rows = replication_rows(inputs.published(), Measured.read(inputs))
    write_rows(Path(snakemake.output.rows), REPLICATION, rows, params.fingerprint)
