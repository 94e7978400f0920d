"""Embed each distinct text of the long histories, or a part of them."""

from pathlib import Path

from lethe.jobs.embed_job import embed
from lethe.stored.histories import read_long
from lethe.workflow import job

with job(snakemake):
    histories = read_long(Path(snakemake.input.events))
    every = list(dict.fromkeys(text for history in histories for text in history.to_history().texts()))
    part = every[int(snakemake.wildcards.part) :: snakemake.params.parts]
    embed(snakemake, "the long histories", {snakemake.output.vectors: part})
