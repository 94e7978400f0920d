"""Embed each distinct text that the rule's function gives, or a part of them."""

from lethe.jobs.embed_job import embed
from lethe.workflow import job, named

with job(snakemake):
    embed(snakemake, named(snakemake.params.texts))
