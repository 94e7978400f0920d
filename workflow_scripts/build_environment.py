"""Build one system's environment from its lock."""

from pathlib import Path

from lethe.config.keys import drop_keys
from lethe.environments.build import build_environment
from lethe.workflow import job

with job(snakemake):
    drop_keys(snakemake.config["models"])
    build_environment(Path(snakemake.input.lock), Path(snakemake.params.folder), Path(snakemake.output.freeze))
