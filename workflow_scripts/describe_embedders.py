"""Say what each embedder is."""

from pathlib import Path

from lethe.config.model import Config
from lethe.embedding.embedder import embedder_row
from lethe.environments.here import embedder_folder
from lethe.parquet import write_rows
from lethe.schemas import EMBEDDERS
from lethe.workflow import job

with job(snakemake):
    params, output = snakemake.params, snakemake.output
    folders = [embedder_folder(Path(path), Config.of(snakemake.config)) for path in snakemake.input.descriptions]
    rows = [embedder_row(*options, folder) for options, folder in zip(params.embedders, folders, strict=True)]
    write_rows(Path(output.embedders), EMBEDDERS, rows, params.fingerprint)
