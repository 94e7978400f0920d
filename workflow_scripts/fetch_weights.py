"""Fetch the weights of a model that is served on this machine, or check those that are there."""

from pathlib import Path

from lethe.config.keys import drop_keys
from lethe.config.model import Config, Weights
from lethe.fingerprints import PROJECT
from lethe.serving.weights import prepare_weights
from lethe.workflow import job

with job(snakemake):
    drop_keys(Config.of(snakemake.config).models)
    weights = Weights(**snakemake.params.weights)
    prepare_weights(snakemake.wildcards.model, weights, PROJECT, Path(snakemake.output.description))
