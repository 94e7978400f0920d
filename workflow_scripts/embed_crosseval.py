"""Embed each distinct text of one benchmark's histories, or a part of them."""

from pathlib import Path

from lethe.crosseval.records import all_texts, read_histories
from lethe.jobs.embed_job import embed
from lethe.workflow import job

with job(snakemake):
    histories = read_histories(Path(snakemake.input.operations), Path(snakemake.input.questions))
    part = all_texts(histories)[int(snakemake.wildcards.part) :: snakemake.params.parts]
    embed(snakemake, snakemake.wildcards.benchmark, {snakemake.output.vectors: part})
