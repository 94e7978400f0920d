"""Embed each distinct text of one suite."""

from pathlib import Path

from lethe.embedding.vectors import read_vectors
from lethe.jobs.embed_job import embed
from lethe.stored.cases import read_suite
from lethe.workflow import job

with job(snakemake):
    given = snakemake.input
    texts = [text for case in read_suite(Path(given.cases)) for text in case.texts()]
    known = read_vectors(Path(given.known)) if given.get("known") else {}
    embed(snakemake, snakemake.wildcards.suite, {snakemake.output.vectors: texts}, known)
