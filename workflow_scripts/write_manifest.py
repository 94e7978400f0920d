"""Write the manifest of everything below the output folder."""

from pathlib import Path

from lethe.trust.manifest import write_manifest
from lethe.workflow import job

with job(snakemake):
    freezes = [Path(path) for path in snakemake.input.get("freezes", [])]
    write_manifest(Path(snakemake.output.manifest).parents[1], snakemake.config, freezes, snakemake.params.fingerprint)
