"""Prepare the configured embedder's model directory."""

from pathlib import Path

from lethe.embedding.prepare import prepare_embedder
from lethe.workflow import job

with job(snakemake):
    options = snakemake.params.embedder
    folder = Path(snakemake.output.description).parent
    prepare_embedder(folder, options["name"], options["source"], options["max_tokens"])
