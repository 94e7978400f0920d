"""Fetch the weights of a model that is served on this machine, or check those that are there."""

from pathlib import Path

from lethe.config.keys import drop_keys
from lethe.config.model import Config, Serve
from lethe.fingerprints import PROJECT
from lethe.serving.weights import prepare_weights
from lethe.workflow import job

with job(snakemake):
    drop_keys(Config.of(snakemake.config).models)
    serve = Serve(**snakemake.params.serve)
    prepare_weights(snakemake.wildcards.model, serve, PROJECT, Path(snakemake.output.description))
