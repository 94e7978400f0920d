"""Generate the long histories from their written material."""

from pathlib import Path

from forgeteval.cases.long.generate import generate_histories
from forgeteval.cases.long.material import read_material
from lethe.parquet import write_rows
from lethe.schemas import LONG_EVENTS
from lethe.stored.histories import event_rows
from lethe.workflow import job

with job(snakemake):
    params = snakemake.params
    material = read_material(Path(snakemake.input.material).parent)
    histories = generate_histories(material, params.seed, params.histories, params.ks)
    write_rows(Path(snakemake.output.events), LONG_EVENTS, event_rows(histories), params.fingerprint)
